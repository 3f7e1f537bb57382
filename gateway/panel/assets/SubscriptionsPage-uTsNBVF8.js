import{n as e,t}from"./gql-CZjz-Uhh.js";import{bt as n,c as r,h as i,i as a,n as o,o as s,s as c}from"./main-B5CH1OM2.js";import{i as l,r as u,t as d}from"./useListSearch-CnSxP2GZ.js";import{t as f}from"./queries-CChtE3VT.js";import{t as p}from"./LinkButton-ClaaUTUq.js";import{t as m}from"./columns-BtalAlrT.js";import{r as h}from"./react-AyOTluXZ.js";var g=h(),_=t(`
  query Subscriptions($first: Int, $after: String, $filter: SubscriptionContractFilter, $order: SubscriptionOrder!) {
    subscriptions(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id customerName amount interval status lastFailure nextBillingAt } }
    }
  }
`);function v(){let t=f(),[h,v]=d(),y=l([`subscriptions`,h],async(t,r)=>{let a=h.order??`created_at_desc`,s={first:25,after:t,filter:n(h,o),order:a};return i((await e(_,s,{signal:r})).subscriptions)});return(0,g.jsx)(u,{title:c.title,action:t(`createSubscription`)&&(0,g.jsx)(p,{to:`/assinaturas/nova`,children:c.newSubscription}),search:h,onSearch:v,tabs:{name:`status`,label:c.status,options:r(s)},filters:o,placeholder:c.search,orders:r(a),list:y,columns:m,empty:{title:c.empty,children:(0,g.jsx)(`p`,{children:c.emptyLead})}})}export{v as SubscriptionsPage};