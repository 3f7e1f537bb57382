import{t as e}from"./useQuery-DwweCm06.js";import{t}from"./link-Ds5uqn3o.js";import{c as n,u as r}from"./main-Dx5VnZho.js";import{t as i}from"./present-D_1kSWmV.js";import{r as a,t as o}from"./ListPage-C07TwWMy.js";import{t as s}from"./queries-DI6QXjMn.js";import{o as c,s as l,t as u}from"./useListSearch-OGLVh2KM.js";import{v as d}from"./format-otRkt6Kn.js";import{t as f}from"./options-1LbvaZw0.js";import{t as p}from"./Time-CbjtBCgW.js";import{t as m}from"./Status-B9CE27-J.js";import{a as h,i as g,l as _,r as v}from"./words-W2tP7Qfb.js";import{r as y}from"./react-AyOTluXZ.js";import{r as b}from"./queries-BmTh7BKX.js";var x=y(),S={pending:`waiting`,delivered:`good`,exhausted:`bad`,canceled:`quiet`};function C({status:e}){return(0,x.jsx)(m,{tone:S[e],children:h[e]})}var w=r(`
  query WebhookDeliveries(
    $endpointId: ID!, $first: Int, $after: String, $filter: WebhookDeliveryFilter, $order: ByCreation!
  ) {
    webhookDeliveries(endpointId: $endpointId, first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id endpointId event test status nextAttemptAt lastStatus lastError createdAt } }
    }
  }
`),T=r(`
  mutation ExportDeliveries(
    $filter: DeliveryFilter, $order: ByCreation!, $format: ExportFormat!, $columns: [DeliveryColumn!]
  ) {
    exportDeliveries(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`);function E({endpointId:e,id:n,event:r,test:i}){return(0,x.jsxs)(x.Fragment,{children:[(0,x.jsx)(t,{to:`/dev/webhooks/$id/entregas/$deliveryId`,params:{id:e,deliveryId:n},children:r}),i&&` (${_.test})`]})}function D({status:e,nextAttemptAt:t,lastStatus:n,lastError:r}){let i=n??(r?_.noAnswer:null),a=e===`pending`&&t&&_.next(d(t));return(0,x.jsx)(x.Fragment,{children:[i,a].filter(Boolean).join(` · `)})}var O=[{label:_.event,cell:e=>(0,x.jsx)(E,{...e})},{label:_.status,cell:e=>(0,x.jsx)(C,{status:e.status})},{label:_.answer,cell:e=>(0,x.jsx)(D,{...e})},{label:_.occurred,cell:e=>(0,x.jsx)(p,{value:e.createdAt})}];function k({endpointId:t}){let r=s(),d=e(b),p=[{name:`event`,label:_.event,kind:`choice`,options:d.data?.map(({event:e})=>({value:e,label:e}))},{name:`httpStatus`,label:_.httpStatus,kind:`number`},{name:`createdFrom`,label:_.createdSince,kind:`date`},{name:`createdTo`,label:_.createdUntil,kind:`date`},{name:`eventId`,label:_.eventId,kind:`text`},{name:`resourceId`,label:_.resourceId,kind:`text`}],m={tabs:{name:`status`,label:_.status,options:f(h)},filters:p,placeholder:_.searchDelivery,orders:f(v)},[y,S]=u(m),C=y.order??`created_at_desc`,E=c(y,p),D=a([`webhooks`,t,`deliveries`,y],async(e,r)=>i((await n(w,{endpointId:t,first:25,after:e,filter:E,order:C},{signal:r})).webhookDeliveries));return(0,x.jsx)(o,{title:_.deliveries,search:y,onSearch:S,...m,list:D,columns:O,file:r(`exportDeliveries`)&&l(g,async e=>i((await n(T,{filter:{...E,endpointId:t},order:C,...e})).exportDeliveries)),empty:{title:_.deliveryEmpty,lead:_.deliveryEmptyLead,docs:`grupo-webhooks`}})}export{D as n,C as r,k as t};