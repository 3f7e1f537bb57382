import{g as e,n as t,t as n}from"./gql-CZjz-Uhh.js";import{bt as r,c as i,h as a}from"./main-B5CH1OM2.js";import{i as o,r as s,t as c}from"./useListSearch-CnSxP2GZ.js";import{t as l}from"./queries-CChtE3VT.js";import{t as u}from"./LinkButton-ClaaUTUq.js";import{t as d}from"./EndpointAddress-DlxT43Yk.js";import{n as f,t as p}from"./EndpointStatus-BVP6a3SL.js";import{o as m,r as h,s as g}from"./words-DgNClv_e.js";import{r as _}from"./react-AyOTluXZ.js";var v=_(),y=n(`
  query WebhookEndpoints($first: Int, $after: String, $filter: WebhookEndpointFilter, $order: ByCreation!) {
    webhookEndpoints(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges {
        node {
          id name url active disabledReason
          health { lastSuccessAt lastAttemptAt firstFailureAt consecutiveFailures }
        }
      }
    }
  }
`),b=[{name:`createdFrom`,label:g.createdFrom,kind:`date`},{name:`createdTo`,label:g.createdTo,kind:`date`}],x=[{label:g.name,cell:t=>(0,v.jsx)(e,{to:`/dev/webhooks/$id`,params:{id:t.id},search:{},children:t.name})},{label:g.status,cell:e=>(0,v.jsx)(p,{...e})},{label:g.url,cell:e=>(0,v.jsx)(d,{...e})},{label:g.health,cell:e=>(0,v.jsx)(f,{health:e.health})}];function S(){let e=l(),[n,d]=c(),f=o([`webhooks`,`all`,n],async(e,i)=>{let o=n.order??`created_at_desc`,s={first:25,after:e,filter:r(n,b),order:o};return a((await t(y,s,{signal:i})).webhookEndpoints)});return(0,v.jsx)(s,{title:g.title,action:e(`createWebhookEndpoint`)&&(0,v.jsx)(u,{to:`/dev/webhooks/novo`,children:g.newEndpoint}),search:n,onSearch:d,tabs:{name:`status`,label:g.status,all:g.all,options:i(m)},filters:b,placeholder:g.search,orders:i(h),list:f,columns:x,empty:{title:g.empty,children:(0,v.jsx)(`p`,{children:g.emptyLead})}})}export{S as EndpointsPage};