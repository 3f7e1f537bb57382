import{g as e,n as t,t as n}from"./gql-CZjz-Uhh.js";import{C as r,S as i,bt as a,c as o,h as s,w as c,x as l}from"./main-B5CH1OM2.js";import{i as u,r as d,t as f}from"./useListSearch-CnSxP2GZ.js";import{t as p}from"./queries-CChtE3VT.js";import{t as m}from"./LinkButton-ClaaUTUq.js";import{t as h}from"./Money-FL1b3uuV.js";import{r as g}from"./pt-BR-BHQIgAHB.js";import{t as _}from"./ProductStatus-DYFRXZwp.js";import{r as v}from"./react-AyOTluXZ.js";var y=v(),b=n(`
  query Products($first: Int, $after: String, $filter: ProductFilter, $order: ProductOrder!) {
    products(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id name price sku active } }
    }
  }
`),x=[{label:c.name,cell:t=>(0,y.jsx)(e,{to:`/produtos/$id`,params:{id:t.id},children:t.name})},{label:c.price,align:`end`,cell:e=>(0,y.jsx)(h,{value:e.price})},{label:c.status,cell:e=>(0,y.jsx)(_,{active:e.active})},{label:c.sku,cell:e=>e.sku}];function S(){let e=p(),[n,h]=f(),_=u([`products`,n],async(e,r)=>{let i=n.order??`created_at_desc`,o={first:25,after:e,filter:a(n,l),order:i};return s((await t(b,o,{signal:r})).products)});return(0,y.jsx)(d,{title:c.title,action:e(`createProduct`)&&(0,y.jsx)(m,{to:`/produtos/novo`,children:c.newProduct}),search:n,onSearch:h,tabs:{name:`status`,label:c.status,all:g.list.allMasculine,options:o(r)},filters:l,placeholder:c.search,orders:o(i),list:_,columns:x,empty:{title:c.empty,children:(0,y.jsx)(`p`,{children:c.emptyLead})}})}export{S as ProductsPage};