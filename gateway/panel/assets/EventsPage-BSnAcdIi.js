import{b as e,p as t,u as n}from"./main-BdWzo1GK.js";import{g as r,n as i,t as a}from"./graphql-BeLqpmMW.js";import{i as o,r as s,t as c}from"./useListSearch-SAeUd6Rm.js";import{t as l}from"./options-1LbvaZw0.js";import{t as u}from"./Time-C7HI0Ii1.js";import{r as d}from"./queries-DSWCw2Y3.js";import{t as f}from"./ResourceLink-CHHzbVpz.js";import{r as p}from"./words-DgNClv_e.js";import{t as m}from"./words-z85jWhoH.js";import{r as h}from"./react-AyOTluXZ.js";var g=h(),_=a(`
  query Events($first: Int, $after: String, $filter: EventFilter, $order: ByCreation!) {
    events(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id type resourceId test createdAt } }
    }
  }
`),v=[{label:m.type,cell:e=>(0,g.jsxs)(g.Fragment,{children:[(0,g.jsx)(r,{to:`/dev/eventos/$id`,params:{id:e.id},children:e.type}),e.test&&` (${m.test})`]})},{label:m.occurred,cell:e=>(0,g.jsx)(u,{value:e.createdAt})},{label:m.resource,cell:e=>e.resourceId&&(0,g.jsx)(f,{event:e.type,resourceId:e.resourceId})}];function y(){let[r,a]=c(),u=e(d),f=[{name:`type`,label:m.type,kind:`choice`,options:(u.data??[]).map(({event:e})=>({value:e,label:e}))},{name:`createdFrom`,label:m.createdFrom,kind:`date`},{name:`createdTo`,label:m.createdTo,kind:`date`},{name:`resourceId`,label:m.resource,kind:`text`}],h=o([`events`,r],async(e,a)=>{let o=r.order??`created_at_desc`;return n((await i(_,{first:25,after:e,filter:t(r,f),order:o},{signal:a})).events)});return(0,g.jsx)(s,{title:m.title,search:r,onSearch:a,filters:f,placeholder:m.search,orders:l(p),list:h,columns:v,empty:{title:m.empty,children:(0,g.jsx)(`p`,{children:m.emptyLead})}})}export{y as EventsPage};