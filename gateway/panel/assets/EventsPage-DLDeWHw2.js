import{t as e}from"./useQuery-BHjjHKuZ.js";import{t}from"./link-D6fggAvN.js";import{n,t as r}from"./graphql-B7XjjIDb.js";import{o as i,u as a}from"./main-Dzt6kujY.js";import{i as o,r as s,t as c}from"./useListSearch-Cmv_13yW.js";import{t as l}from"./options-1LbvaZw0.js";import{t as u}from"./Time-C7HI0Ii1.js";import{r as d}from"./queries-CjJidBDS.js";import{t as f}from"./ResourceLink-yAmIxb65.js";import{r as p}from"./words-C252fS9-.js";import{t as m}from"./words-z85jWhoH.js";import{r as h}from"./react-AyOTluXZ.js";var g=h(),_=r(`
  query Events($first: Int, $after: String, $filter: EventFilter, $order: ByCreation!) {
    events(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id type resourceId test createdAt } }
    }
  }
`),v=[{label:m.type,cell:e=>(0,g.jsxs)(g.Fragment,{children:[(0,g.jsx)(t,{to:`/dev/eventos/$id`,params:{id:e.id},children:e.type}),e.test&&` (${m.test})`]})},{label:m.occurred,cell:e=>(0,g.jsx)(u,{value:e.createdAt})},{label:m.resource,cell:e=>e.resourceId&&(0,g.jsx)(f,{event:e.type,resourceId:e.resourceId})}];function y(){let[t,r]=c(),u=e(d),f=[{name:`type`,label:m.type,kind:`choice`,options:(u.data??[]).map(({event:e})=>({value:e,label:e}))},{name:`createdFrom`,label:m.createdFrom,kind:`date`},{name:`createdTo`,label:m.createdTo,kind:`date`},{name:`resourceId`,label:m.resource,kind:`text`}],h=o([`events`,t],async(e,r)=>{let o=t.order??`created_at_desc`;return i((await n(_,{first:25,after:e,filter:a(t,f),order:o},{signal:r})).events)});return(0,g.jsx)(s,{title:m.title,search:t,onSearch:r,filters:f,placeholder:m.search,orders:l(p),list:h,columns:v,empty:{title:m.empty,children:(0,g.jsx)(`p`,{children:m.emptyLead})}})}export{y as EventsPage};