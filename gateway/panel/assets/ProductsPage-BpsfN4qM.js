import{t as e}from"./link-Ds5uqn3o.js";import{a as t,r as n}from"./request-CmBGbJcL.js";import{t as r}from"./present-lGORn0O1.js";import{n as i,r as a}from"./ListPage-10yrSQOp.js";import{t as o}from"./queries-BxhiX8HR.js";import{o as s,t as c}from"./useListSearch-DbyWkPU4.js";import{n as l}from"./words-xOtjye_d.js";import{t as u}from"./LinkButton-BnkiAJg5.js";import{t as d}from"./Money-C_BvHsTP.js";import{t as f}from"./options-1LbvaZw0.js";import{n as p,r as m,t as h}from"./words-Ctw2yK66.js";import{t as g}from"./ProductStatus-BF7tqzEE.js";import{r as _}from"./react-AyOTluXZ.js";var v=[{name:`createdFrom`,label:m.createdFrom,kind:`date`},{name:`createdTo`,label:m.createdTo,kind:`date`},{name:`sku`,label:m.sku,kind:`text`}],y=_(),b=t(`
  query Products($first: Int, $after: String, $filter: ProductFilter, $order: ProductOrder!) {
    products(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id name price sku active } }
    }
  }
`),x=t(`
  mutation ExportProducts($filter: ProductFilter, $order: ProductOrder!, $format: ExportFormat!) {
    exportProducts(filter: $filter, order: $order, format: $format) { url }
  }
`),S=[{label:m.name,cell:t=>(0,y.jsx)(e,{to:`/produtos/$id`,params:{id:t.id},children:t.name})},{label:m.price,align:`end`,cell:e=>(0,y.jsx)(d,{value:e.price})},{label:m.status,cell:e=>(0,y.jsx)(g,{active:e.active})},{label:m.sku,cell:e=>e.sku}],C={tabs:{name:`status`,label:m.status,all:l.allMasculine,options:f(p)},filters:v,placeholder:m.search,orders:f(h)};function w(){let e=o(),[t,l]=c(C),d=t.order??`created_at_desc`,f={filter:s(t,v),order:d},p=a([`products`,t],async(e,t)=>{let i={first:25,after:e,...f};return r((await n(b,i,{signal:t})).products)});return(0,y.jsx)(i,{title:m.title,action:e(`createProduct`)&&(0,y.jsx)(u,{to:`/produtos/novo`,children:m.newProduct}),search:t,onSearch:l,...C,list:p,columns:S,onExport:e(`exportProducts`)&&(async e=>r((await n(x,{...f,format:e})).exportProducts)),empty:{title:m.empty,children:(0,y.jsx)(`p`,{children:m.emptyLead})}})}export{w as ProductsPage};