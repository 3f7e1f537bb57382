import{t as e}from"./link-Ds5uqn3o.js";import{c as t,u as n}from"./main-Dx5VnZho.js";import{t as r}from"./present-D_1kSWmV.js";import{n as i,r as a}from"./ListPage-C07TwWMy.js";import{t as o}from"./queries-DI6QXjMn.js";import{o as s,s as c,t as l}from"./useListSearch-OGLVh2KM.js";import{n as u}from"./words-BPNyrhnL.js";import{t as d}from"./LinkButton-Cxv3J9bH.js";import{t as f}from"./Money-BM-EQou1.js";import{t as p}from"./options-1LbvaZw0.js";import{i as m,n as h,r as g,t as _}from"./words-BL3SHrvx.js";import{t as v}from"./ProductStatus-DwzwNTkY.js";import{r as y}from"./react-AyOTluXZ.js";var b=[{name:`createdFrom`,label:m.createdFrom,kind:`date`},{name:`createdTo`,label:m.createdTo,kind:`date`},{name:`sku`,label:m.sku,kind:`text`}],x=y(),S=n(`
  query Products($first: Int, $after: String, $filter: ProductFilter, $order: ProductOrder!) {
    products(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id name price sku active } }
    }
  }
`),C=n(`
  mutation ExportProducts($filter: ProductFilter, $order: ProductOrder!, $format: ExportFormat!, $columns: [ProductColumn!]) {
    exportProducts(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`),w=[{label:m.name,cell:t=>(0,x.jsx)(e,{to:`/produtos/$id`,params:{id:t.id},children:t.name})},{label:m.price,align:`end`,cell:e=>(0,x.jsx)(f,{value:e.price})},{label:m.status,cell:e=>(0,x.jsx)(v,{active:e.active})},{label:m.sku,cell:e=>e.sku}],T={tabs:{name:`status`,label:m.status,all:u.allMasculine,options:p(g)},filters:b,placeholder:m.search,orders:p(h)};function E(){let e=o(),[n,u]=l(T),f=n.order??`created_at_desc`,p={filter:s(n,b),order:f},h=a([`products`,n],async(e,n)=>{let i={first:25,after:e,...p};return r((await t(S,i,{signal:n})).products)});return(0,x.jsx)(i,{title:m.title,action:e(`createProduct`)&&(0,x.jsx)(d,{to:`/produtos/novo`,children:m.newProduct}),search:n,onSearch:u,...T,list:h,columns:w,file:e(`exportProducts`)&&c(_,async e=>r((await t(C,{...p,...e})).exportProducts)),empty:{title:m.empty,lead:m.emptyLead,docs:`grupo-produtos`}})}export{E as ProductsPage};