import{t as e}from"./link-Ds5uqn3o.js";import{r as t,t as n}from"./graphql-_m2Zo-_n.js";import{t as r}from"./present-DW0qiDls.js";import{n as i,r as a}from"./ListPage-BiCtHRZ7.js";import{t as o}from"./queries-mDr1dz_V.js";import{a as s,t as c}from"./useListSearch-DoeM6H5_.js";import{x as l}from"./format-CqjdgUsg.js";import{t as u}from"./LinkButton-wyeUWMRu.js";import{t as d}from"./options-1LbvaZw0.js";import{t as f}from"./Time-BZPbzwVe.js";import{n as p,t as m}from"./words-yRcQwO45.js";import{r as h}from"./react-AyOTluXZ.js";var g=[{name:`createdFrom`,label:p.createdFrom,kind:`date`},{name:`createdTo`,label:p.createdTo,kind:`date`},{name:`email`,label:p.email,kind:`text`},{name:`cpf`,label:p.document,kind:`text`}],_=h(),v=n(`
  query Customers($first: Int, $after: String, $filter: CustomerFilter, $order: CustomerOrder!) {
    customers(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id name email cpf createdAt } }
    }
  }
`),y=n(`
  mutation ExportCustomers($filter: CustomerFilter, $order: CustomerOrder!, $format: ExportFormat!) {
    exportCustomers(filter: $filter, order: $order, format: $format) { url }
  }
`),b=[{label:p.name,cell:t=>(0,_.jsx)(e,{to:`/clientes/$id`,params:{id:t.id},children:t.name})},{label:p.document,cell:e=>e.cpf&&l(e.cpf)},{label:p.email,cell:e=>e.email},{label:p.created,cell:e=>(0,_.jsx)(f,{value:e.createdAt})}];function x(){let e=o(),[n,l]=c(),f=n.order??`created_at_desc`,h={filter:s(n,g),order:f},x=a([`customers`,n],async(e,n)=>{let i={first:25,after:e,...h};return r((await t(v,i,{signal:n})).customers)});return(0,_.jsx)(i,{title:p.title,action:e(`createCustomer`)&&(0,_.jsx)(u,{to:`/clientes/novo`,children:p.newCustomer}),search:n,onSearch:l,filters:g,placeholder:p.search,orders:d(m),list:x,columns:b,onExport:e(`exportCustomers`)&&(async e=>r((await t(y,{...h,format:e})).exportCustomers)),empty:{title:p.empty,children:(0,_.jsx)(`p`,{children:p.emptyLead})}})}export{x as CustomersPage};