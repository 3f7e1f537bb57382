import{n as e,t}from"./gql-CZjz-Uhh.js";import{D as n,O as r,T as i,bt as a,c as o,h as s,k as c}from"./main-B5CH1OM2.js";import{i as l,r as u,t as d}from"./useListSearch-CnSxP2GZ.js";import{t as f}from"./queries-CChtE3VT.js";import{t as p}from"./LinkButton-ClaaUTUq.js";import{r as m}from"./pt-BR-BHQIgAHB.js";import{t as h}from"./columns-Cy4dluHB.js";import{r as g}from"./react-AyOTluXZ.js";var _=g(),v=t(`
  query PaymentLinks($first: Int, $after: String, $filter: PaymentLinkFilter, $order: PaymentLinkOrder!) {
    paymentLinks(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges {
        node { id title amount active expiresAt maxUses usesCount unpayableReason product { name price } }
      }
    }
  }
`);function y(){let t=f(),[g,y]=d(),b=l([`links`,g],async(t,n)=>{let r=g.order??`created_at_desc`,o={first:25,after:t,filter:a(g,i),order:r};return s((await e(v,o,{signal:n})).paymentLinks)});return(0,_.jsx)(u,{title:c.title,action:t(`createPaymentLink`)&&(0,_.jsx)(p,{to:`/links/novo`,children:c.newLink}),search:g,onSearch:y,tabs:{name:`status`,label:c.status,all:m.list.allMasculine,options:o(r)},filters:i,placeholder:c.search,orders:o(n),list:b,columns:h,empty:{title:c.empty,children:(0,_.jsx)(`p`,{children:c.emptyLead})}})}export{y as LinksPage};