import{t as e}from"./link-Ds5uqn3o.js";import{c as t,u as n}from"./main-Dx5VnZho.js";import{t as r}from"./present-D_1kSWmV.js";import{n as i,r as a}from"./ListPage-C07TwWMy.js";import{t as o}from"./queries-DI6QXjMn.js";import{o as s,s as c,t as l}from"./useListSearch-OGLVh2KM.js";import{t as u}from"./LinkButton-Cxv3J9bH.js";import{t as d}from"./options-1LbvaZw0.js";import{t as f}from"./Time-CbjtBCgW.js";import{t as p}from"./pt-BR-BucpHF7C.js";import{t as m}from"./KeyStatus-Dh1ZZgdk.js";import{i as h,n as g,r as _,t as v}from"./words-Bhq52c8l.js";import{r as y}from"./react-AyOTluXZ.js";var b=y(),x=n(`
  query ApiKeys($first: Int, $after: String, $filter: ApiKeyFilter, $order: ApiKeyOrder!) {
    apiKeys(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id name prefix environment active expiresAt lastUsedAt } }
    }
  }
`),S=n(`
  mutation ExportApiKeys($filter: ApiKeyFilter, $order: ApiKeyOrder!, $format: ExportFormat!, $columns: [ApiKeyColumn!]) {
    exportApiKeys(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`),C=[{name:`environment`,label:h.environment,kind:`choice`,options:d(p)},{name:`createdFrom`,label:h.createdFrom,kind:`date`},{name:`createdTo`,label:h.createdTo,kind:`date`}],w=[{label:h.name,cell:t=>(0,b.jsx)(e,{to:`/dev/chaves/$id`,params:{id:t.id},children:t.name})},{label:h.status,cell:e=>(0,b.jsx)(m,{...e})},{label:h.prefix,cell:e=>(0,b.jsxs)(`code`,{children:[e.prefix,`…`]})},{label:h.environment,cell:e=>p[e.environment]},{label:h.lastUsed,cell:e=>e.lastUsedAt?(0,b.jsx)(f,{value:e.lastUsedAt}):h.neverUsed}],T={tabs:{name:`status`,label:h.status,options:d(_)},filters:C,placeholder:h.search,orders:d(g)};function E(){let e=o(),[n,d]=l(T),f=n.order??`created_at_desc`,p={filter:s(n,C),order:f},m=a([`api keys`,n],async(e,n)=>{let i={first:25,after:e,...p};return r((await t(x,i,{signal:n})).apiKeys)});return(0,b.jsx)(i,{title:h.title,action:e(`createApiKey`)&&(0,b.jsx)(u,{to:`/dev/chaves/nova`,children:h.newKey}),search:n,onSearch:d,...T,list:m,columns:w,file:e(`exportApiKeys`)&&c(v,async e=>r((await t(S,{...p,...e})).exportApiKeys)),empty:{title:h.empty,lead:h.emptyLead,docs:`grupo-chaves-de-api`}})}export{E as KeysPage};