import{t as e}from"./link-Ds5uqn3o.js";import{a as t,r as n}from"./request-CmBGbJcL.js";import{t as r}from"./present-lGORn0O1.js";import{n as i,r as a}from"./ListPage-10yrSQOp.js";import{t as o}from"./queries-BxhiX8HR.js";import{o as s,t as c}from"./useListSearch-DbyWkPU4.js";import{S as l}from"./format-Bn0KZV_R.js";import{t as u}from"./LinkButton-BnkiAJg5.js";import{t as d}from"./options-1LbvaZw0.js";import{t as f}from"./Time-7ZbB8kIw.js";import{n as p,t as m}from"./words-yRcQwO45.js";import{r as h}from"./react-AyOTluXZ.js";var g=[{name:`createdFrom`,label:p.createdFrom,kind:`date`},{name:`createdTo`,label:p.createdTo,kind:`date`},{name:`email`,label:p.email,kind:`text`},{name:`cpf`,label:p.document,kind:`text`}],_=h(),v=t(`
  query Customers($first: Int, $after: String, $filter: CustomerFilter, $order: CustomerOrder!) {
    customers(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id name email cpf createdAt } }
    }
  }
`),y=t(`
  mutation ExportCustomers($filter: CustomerFilter, $order: CustomerOrder!, $format: ExportFormat!) {
    exportCustomers(filter: $filter, order: $order, format: $format) { url }
  }
`),b=[{label:p.name,cell:t=>(0,_.jsx)(e,{to:`/clientes/$id`,params:{id:t.id},children:t.name})},{label:p.document,cell:e=>e.cpf&&l(e.cpf)},{label:p.email,cell:e=>e.email},{label:p.created,cell:e=>(0,_.jsx)(f,{value:e.createdAt})}],x={filters:g,placeholder:p.search,orders:d(m)};function S(){let e=o(),[t,l]=c(x),d=t.order??`created_at_desc`,f={filter:s(t,g),order:d},m=a([`customers`,t],async(e,t)=>{let i={first:25,after:e,...f};return r((await n(v,i,{signal:t})).customers)});return(0,_.jsx)(i,{title:p.title,action:e(`createCustomer`)&&(0,_.jsx)(u,{to:`/clientes/novo`,children:p.newCustomer}),search:t,onSearch:l,...x,list:m,columns:b,onExport:e(`exportCustomers`)&&(async e=>r((await n(y,{...f,format:e})).exportCustomers)),empty:{title:p.empty,children:(0,_.jsx)(`p`,{children:p.emptyLead})}})}export{S as CustomersPage};