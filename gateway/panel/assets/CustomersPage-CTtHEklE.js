import{t as e}from"./link-Ds5uqn3o.js";import{r as t,t as n}from"./graphql-_m2Zo-_n.js";import{d as r,o as i}from"./main-DCDhcY0C.js";import{n as a,r as o}from"./ListPage-sFWL6iYV.js";import{t as s}from"./queries-Dxe-A9Qa.js";import{t as c}from"./useListSearch-ChwcvBjU.js";import{v as l}from"./format-Bq12a46f.js";import{t as u}from"./LinkButton-DTFncre9.js";import{t as d}from"./options-1LbvaZw0.js";import{t as f}from"./Time-C7HI0Ii1.js";import{n as p,t as m}from"./words-yRcQwO45.js";import{r as h}from"./react-AyOTluXZ.js";var g=[{name:`createdFrom`,label:p.createdFrom,kind:`date`},{name:`createdTo`,label:p.createdTo,kind:`date`},{name:`email`,label:p.email,kind:`text`},{name:`cpf`,label:p.document,kind:`text`}],_=h(),v=n(`
  query Customers($first: Int, $after: String, $filter: CustomerFilter, $order: CustomerOrder!) {
    customers(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id name email cpf createdAt } }
    }
  }
`),y=[{label:p.name,cell:t=>(0,_.jsx)(e,{to:`/clientes/$id`,params:{id:t.id},children:t.name})},{label:p.document,cell:e=>e.cpf&&l(e.cpf)},{label:p.email,cell:e=>e.email},{label:p.created,cell:e=>(0,_.jsx)(f,{value:e.createdAt})}];function b(){let e=s(),[n,l]=c(),f=o([`customers`,n],async(e,a)=>{let o=n.order??`created_at_desc`,s={first:25,after:e,filter:r(n,g),order:o};return i((await t(v,s,{signal:a})).customers)});return(0,_.jsx)(a,{title:p.title,action:e(`createCustomer`)&&(0,_.jsx)(u,{to:`/clientes/novo`,children:p.newCustomer}),search:n,onSearch:l,filters:g,placeholder:p.search,orders:d(m),list:f,columns:y,empty:{title:p.empty,children:(0,_.jsx)(`p`,{children:p.emptyLead})}})}export{b as CustomersPage};