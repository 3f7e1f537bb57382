import{t as e}from"./link-Ds5uqn3o.js";import{a as t,r as n}from"./request-QLMvDYM1.js";import{t as r}from"./present-C6ZMvN9P.js";import{n as i,r as a}from"./ListPage-CgvqEJ81.js";import{t as o}from"./queries-WGPw6u_F.js";import{o as s,s as c,t as l}from"./useListSearch-DEXvDj6z.js";import{S as u}from"./format-otRkt6Kn.js";import{t as d}from"./LinkButton-XNUFhUSn.js";import{t as f}from"./options-1LbvaZw0.js";import{t as p}from"./Time-CbjtBCgW.js";import{n as m,r as h,t as g}from"./words-RvK-lRtu.js";import{r as _}from"./react-AyOTluXZ.js";var v=[{name:`createdFrom`,label:h.createdFrom,kind:`date`},{name:`createdTo`,label:h.createdTo,kind:`date`},{name:`email`,label:h.email,kind:`text`},{name:`cpf`,label:h.document,kind:`text`}],y=_(),b=t(`
  query Customers($first: Int, $after: String, $filter: CustomerFilter, $order: CustomerOrder!) {
    customers(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id name email cpf createdAt } }
    }
  }
`),x=t(`
  mutation ExportCustomers($filter: CustomerFilter, $order: CustomerOrder!, $format: ExportFormat!, $columns: [CustomerColumn!]) {
    exportCustomers(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`),S=[{label:h.name,cell:t=>(0,y.jsx)(e,{to:`/clientes/$id`,params:{id:t.id},children:t.name})},{label:h.document,cell:e=>e.cpf&&u(e.cpf)},{label:h.email,cell:e=>e.email},{label:h.created,cell:e=>(0,y.jsx)(p,{value:e.createdAt})}],C={filters:v,placeholder:h.search,orders:f(m)};function w(){let e=o(),[t,u]=l(C),f=t.order??`created_at_desc`,p={filter:s(t,v),order:f},m=a([`customers`,t],async(e,t)=>{let i={first:25,after:e,...p};return r((await n(b,i,{signal:t})).customers)});return(0,y.jsx)(i,{title:h.title,action:e(`createCustomer`)&&(0,y.jsx)(d,{to:`/clientes/novo`,children:h.newCustomer}),search:t,onSearch:u,...C,list:m,columns:S,file:e(`exportCustomers`)&&c(g,async e=>r((await n(x,{...p,...e})).exportCustomers)),empty:{title:h.empty,lead:h.emptyLead,docs:`grupo-clientes`}})}export{w as CustomersPage};