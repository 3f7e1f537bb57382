import{t as e}from"./link-Ds5uqn3o.js";import{c as t,u as n}from"./main-Dx5VnZho.js";import{t as r}from"./present-D_1kSWmV.js";import{n as i,r as a}from"./ListPage-C07TwWMy.js";import{t as o}from"./queries-DI6QXjMn.js";import{o as s,s as c,t as l}from"./useListSearch-OGLVh2KM.js";import{t as u}from"./LinkButton-Cxv3J9bH.js";import{t as d}from"./options-1LbvaZw0.js";import{t as f}from"./EndpointAddress-CbazVGzB.js";import{n as p,t as m}from"./EndpointStatus-C06Ag-M6.js";import{c as h,l as g,r as _,s as v}from"./words-W2tP7Qfb.js";import{r as y}from"./react-AyOTluXZ.js";var b=y(),x=n(`
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
`),S=n(`
  mutation ExportWebhookEndpoints(
    $filter: WebhookEndpointFilter, $order: ByCreation!, $format: ExportFormat!, $columns: [WebhookEndpointColumn!]
  ) {
    exportWebhookEndpoints(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`),C=[{name:`createdFrom`,label:g.createdFrom,kind:`date`},{name:`createdTo`,label:g.createdTo,kind:`date`}],w=[{label:g.name,cell:t=>(0,b.jsx)(e,{to:`/dev/webhooks/$id`,params:{id:t.id},search:{},children:t.name})},{label:g.status,cell:e=>(0,b.jsx)(m,{...e})},{label:g.url,cell:e=>(0,b.jsx)(f,{...e})},{label:g.health,cell:e=>(0,b.jsx)(p,{health:e.health})}],T={tabs:{name:`status`,label:g.status,all:g.all,options:d(h)},filters:C,placeholder:g.search,orders:d(_)};function E(){let e=o(),[n,d]=l(T),f=n.order??`created_at_desc`,p={filter:s(n,C),order:f},m=a([`webhooks`,`all`,n],async(e,n)=>{let i={first:25,after:e,...p};return r((await t(x,i,{signal:n})).webhookEndpoints)});return(0,b.jsx)(i,{title:g.title,action:e(`createWebhookEndpoint`)&&(0,b.jsx)(u,{to:`/dev/webhooks/novo`,children:g.newEndpoint}),search:n,onSearch:d,...T,list:m,columns:w,file:e(`exportWebhookEndpoints`)&&c(v,async e=>r((await t(S,{...p,...e})).exportWebhookEndpoints)),empty:{title:g.empty,lead:g.emptyLead,docs:`grupo-webhooks`}})}export{E as EndpointsPage};