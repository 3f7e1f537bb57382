import{g as e,n as t,t as n}from"./gql-CZjz-Uhh.js";import{$ as r,Q as i,Y as a,Z as o,bt as s,c,h as l}from"./main-B5CH1OM2.js";import{i as u,r as d,t as f}from"./useListSearch-CnSxP2GZ.js";import{t as p}from"./queries-CChtE3VT.js";import{t as m}from"./LinkButton-ClaaUTUq.js";import{t as h}from"./Time-BQXZx8sM.js";import{r as g}from"./react-AyOTluXZ.js";var _=g(),v=n(`
  query Customers($first: Int, $after: String, $filter: CustomerFilter, $order: CustomerOrder!) {
    customers(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id name email cpf createdAt } }
    }
  }
`),y=[{label:r.name,cell:t=>(0,_.jsx)(e,{to:`/clientes/$id`,params:{id:t.id},children:t.name})},{label:r.document,cell:e=>e.cpf&&a(e.cpf)},{label:r.email,cell:e=>e.email},{label:r.created,cell:e=>(0,_.jsx)(h,{value:e.createdAt})}];function b(){let e=p(),[n,a]=f(),h=u([`customers`,n],async(e,r)=>{let i=n.order??`created_at_desc`,a={first:25,after:e,filter:s(n,o),order:i};return l((await t(v,a,{signal:r})).customers)});return(0,_.jsx)(d,{title:r.title,action:e(`createCustomer`)&&(0,_.jsx)(m,{to:`/clientes/novo`,children:r.newCustomer}),search:n,onSearch:a,filters:o,placeholder:r.search,orders:c(i),list:h,columns:y,empty:{title:r.empty,children:(0,_.jsx)(`p`,{children:r.emptyLead})}})}export{b as CustomersPage};