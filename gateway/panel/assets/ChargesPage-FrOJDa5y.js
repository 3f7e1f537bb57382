import{n as e,t}from"./gql-CZjz-Uhh.js";import{at as n,bt as r,c as i,ct as a,h as o,lt as s,st as c}from"./main-B5CH1OM2.js";import{i as l,r as u,t as d}from"./useListSearch-CnSxP2GZ.js";import{t as f}from"./queries-CChtE3VT.js";import{t as p}from"./LinkButton-ClaaUTUq.js";import{t as m}from"./columns-CAfJrRTW.js";import{r as h}from"./react-AyOTluXZ.js";var g=h(),_=t(`
  query Charges($first: Int, $after: String, $filter: ChargeFilter, $order: ChargeOrder!) {
    charges(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id status underReview amount description customerName createdAt } }
    }
  }
`);function v(){let t=f(),[h,v]=d(),y=l([`charges`,h],async(t,i)=>{let a=h.order??`created_at_desc`,s={first:25,after:t,filter:r(h,n),order:a};return o((await e(_,s,{signal:i})).charges)}),b=t(`issueCharge`)&&(0,g.jsx)(p,{to:`/cobrancas/nova`,children:s.newCharge});return(0,g.jsx)(u,{title:s.title,action:b,search:h,onSearch:v,tabs:{name:`status`,label:s.status,options:i(a)},filters:n,placeholder:s.search,orders:i(c),list:y,columns:m,empty:{title:s.empty,children:(0,g.jsx)(`p`,{children:s.emptyLead})}})}export{v as ChargesPage};