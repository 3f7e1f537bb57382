import{t as e}from"./link-Ds5uqn3o.js";import{c as t,u as n}from"./main-Dx5VnZho.js";import{t as r}from"./present-D_1kSWmV.js";import{n as i,r as a}from"./ListPage-C07TwWMy.js";import{t as o}from"./queries-DI6QXjMn.js";import{o as s,s as c,t as l}from"./useListSearch-OGLVh2KM.js";import{S as u}from"./format-otRkt6Kn.js";import{t as d}from"./LinkButton-Cxv3J9bH.js";import{t as f}from"./options-1LbvaZw0.js";import{t as p}from"./Time-CbjtBCgW.js";import{n as m,r as h,t as g}from"./words-RvK-lRtu.js";import{r as _}from"./react-AyOTluXZ.js";var v=[{name:`createdFrom`,label:h.createdFrom,kind:`date`},{name:`createdTo`,label:h.createdTo,kind:`date`},{name:`email`,label:h.email,kind:`text`},{name:`cpf`,label:h.document,kind:`text`}],y=_(),b=n(`
  query Customers($first: Int, $after: String, $filter: CustomerFilter, $order: CustomerOrder!) {
    customers(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id name email cpf createdAt } }
    }
  }
`),x=n(`
  mutation ExportCustomers($filter: CustomerFilter, $order: CustomerOrder!, $format: ExportFormat!, $columns: [CustomerColumn!]) {
    exportCustomers(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`),S=[{label:h.name,cell:t=>(0,y.jsx)(e,{to:`/clientes/$id`,params:{id:t.id},children:t.name})},{label:h.document,cell:e=>e.cpf&&u(e.cpf)},{label:h.email,cell:e=>e.email},{label:h.created,cell:e=>(0,y.jsx)(p,{value:e.createdAt})}],C={filters:v,placeholder:h.search,orders:f(m)};function w(){let e=o(),[n,u]=l(C),f=n.order??`created_at_desc`,p={filter:s(n,v),order:f},m=a([`customers`,n],async(e,n)=>{let i={first:25,after:e,...p};return r((await t(b,i,{signal:n})).customers)});return(0,y.jsx)(i,{title:h.title,action:e(`createCustomer`)&&(0,y.jsx)(d,{to:`/clientes/novo`,children:h.newCustomer}),search:n,onSearch:u,...C,list:m,columns:S,file:e(`exportCustomers`)&&c(g,async e=>r((await t(x,{...p,...e})).exportCustomers)),empty:{title:h.empty,lead:h.emptyLead,docs:`grupo-clientes`}})}export{w as CustomersPage};