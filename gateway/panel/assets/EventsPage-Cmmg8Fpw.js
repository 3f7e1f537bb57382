import{Et as e,bt as t,c as n,h as r}from"./main-B5CH1OM2.js";import{g as i,n as a,t as o}from"./gql-CZjz-Uhh.js";import{i as s,r as c,t as l}from"./useListSearch-CnSxP2GZ.js";import{t as u}from"./Time-BQXZx8sM.js";import{r as d}from"./queries-B1efxIYG.js";import{t as f}from"./ResourceLink-DMdpi6LZ.js";import{r as p}from"./words-DgNClv_e.js";import{t as m}from"./words-z85jWhoH.js";import{r as h}from"./react-AyOTluXZ.js";var g=h(),_=o(`
  query Events($first: Int, $after: String, $filter: EventFilter, $order: ByCreation!) {
    events(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id type resourceId test createdAt } }
    }
  }
`),v=[{label:m.type,cell:e=>(0,g.jsxs)(g.Fragment,{children:[(0,g.jsx)(i,{to:`/dev/eventos/$id`,params:{id:e.id},children:e.type}),e.test&&` (${m.test})`]})},{label:m.occurred,cell:e=>(0,g.jsx)(u,{value:e.createdAt})},{label:m.resource,cell:e=>e.resourceId&&(0,g.jsx)(f,{event:e.type,resourceId:e.resourceId})}];function y(){let[i,o]=l(),u=e(d),f=[{name:`type`,label:m.type,kind:`choice`,options:(u.data??[]).map(({event:e})=>({value:e,label:e}))},{name:`createdFrom`,label:m.createdFrom,kind:`date`},{name:`createdTo`,label:m.createdTo,kind:`date`},{name:`resourceId`,label:m.resource,kind:`text`}],h=s([`events`,i],async(e,n)=>{let o=i.order??`created_at_desc`;return r((await a(_,{first:25,after:e,filter:t(i,f),order:o},{signal:n})).events)});return(0,g.jsx)(c,{title:m.title,search:i,onSearch:o,filters:f,placeholder:m.search,orders:n(p),list:h,columns:v,empty:{title:m.empty,children:(0,g.jsx)(`p`,{children:m.emptyLead})}})}export{y as EventsPage};