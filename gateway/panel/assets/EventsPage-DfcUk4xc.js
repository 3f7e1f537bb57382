import{t as e}from"./useQuery-DwweCm06.js";import{t}from"./link-Ds5uqn3o.js";import{c as n,u as r}from"./main-Dx5VnZho.js";import{t as i}from"./present-D_1kSWmV.js";import{n as a,r as o}from"./ListPage-C07TwWMy.js";import{t as s}from"./queries-DI6QXjMn.js";import{o as c,s as l,t as u}from"./useListSearch-OGLVh2KM.js";import{t as d}from"./options-1LbvaZw0.js";import{t as f}from"./Time-CbjtBCgW.js";import{r as p}from"./queries-BmTh7BKX.js";import{t as m}from"./ResourceLink-DikPhL47.js";import{r as h}from"./words-W2tP7Qfb.js";import{n as g,t as _}from"./words-BmSOAKJF.js";import{r as v}from"./react-AyOTluXZ.js";var y=v(),b=r(`
  query Events($first: Int, $after: String, $filter: EventFilter, $order: ByCreation!) {
    events(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id type resourceId test createdAt } }
    }
  }
`),x=r(`
  mutation ExportEvents($filter: EventFilter, $order: ByCreation!, $format: ExportFormat!, $columns: [EventColumn!]) {
    exportEvents(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`),S=[{label:g.type,cell:e=>(0,y.jsxs)(y.Fragment,{children:[(0,y.jsx)(t,{to:`/dev/eventos/$id`,params:{id:e.id},children:e.type}),e.test&&` (${g.test})`]})},{label:g.occurred,cell:e=>(0,y.jsx)(f,{value:e.createdAt})},{label:g.resource,cell:e=>e.resourceId&&(0,y.jsx)(m,{event:e.type,resourceId:e.resourceId})}];function C(){let t=s(),r=e(p),f=[{name:`type`,label:g.type,kind:`choice`,options:r.data?.map(({event:e})=>({value:e,label:e}))},{name:`createdFrom`,label:g.createdFrom,kind:`date`},{name:`createdTo`,label:g.createdTo,kind:`date`},{name:`resourceId`,label:g.resource,kind:`text`}],m={filters:f,placeholder:g.search,orders:d(h)},[v,C]=u(m),w=v.order??`created_at_desc`,T={filter:c(v,f),order:w},E=o([`events`,v],async(e,t)=>{let r={first:25,after:e,...T};return i((await n(b,r,{signal:t})).events)});return(0,y.jsx)(a,{title:g.title,search:v,onSearch:C,...m,list:E,columns:S,file:t(`exportEvents`)&&l(_,async e=>i((await n(x,{...T,...e})).exportEvents)),empty:{title:g.empty,lead:g.emptyLead,docs:`grupo-webhooks`}})}export{C as EventsPage};