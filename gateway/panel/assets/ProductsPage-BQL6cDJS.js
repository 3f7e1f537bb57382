import{g as e,n as t,t as n}from"./graphql-BeLqpmMW.js";import{p as r,u as i}from"./main-BdWzo1GK.js";import{i as a,r as o,t as s}from"./useListSearch-SAeUd6Rm.js";import{t as c}from"./queries-BgfyNLLV.js";import{t as l}from"./words-Bviifael.js";import{t as u}from"./LinkButton-WSXmy5VN.js";import{t as d}from"./Money-BJQdbNw9.js";import{t as f}from"./options-1LbvaZw0.js";import{n as p,r as m,t as h}from"./words-Ctw2yK66.js";import{t as g}from"./ProductStatus-BF7tqzEE.js";import{r as _}from"./react-AyOTluXZ.js";var v=[{name:`createdFrom`,label:m.createdFrom,kind:`date`},{name:`createdTo`,label:m.createdTo,kind:`date`},{name:`sku`,label:m.sku,kind:`text`}],y=_(),b=n(`
  query Products($first: Int, $after: String, $filter: ProductFilter, $order: ProductOrder!) {
    products(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id name price sku active } }
    }
  }
`),x=[{label:m.name,cell:t=>(0,y.jsx)(e,{to:`/produtos/$id`,params:{id:t.id},children:t.name})},{label:m.price,align:`end`,cell:e=>(0,y.jsx)(d,{value:e.price})},{label:m.status,cell:e=>(0,y.jsx)(g,{active:e.active})},{label:m.sku,cell:e=>e.sku}];function S(){let e=c(),[n,d]=s(),g=a([`products`,n],async(e,a)=>{let o=n.order??`created_at_desc`,s={first:25,after:e,filter:r(n,v),order:o};return i((await t(b,s,{signal:a})).products)});return(0,y.jsx)(o,{title:m.title,action:e(`createProduct`)&&(0,y.jsx)(u,{to:`/produtos/novo`,children:m.newProduct}),search:n,onSearch:d,tabs:{name:`status`,label:m.status,all:l.allMasculine,options:f(p)},filters:v,placeholder:m.search,orders:f(h),list:g,columns:x,empty:{title:m.empty,children:(0,y.jsx)(`p`,{children:m.emptyLead})}})}export{S as ProductsPage};