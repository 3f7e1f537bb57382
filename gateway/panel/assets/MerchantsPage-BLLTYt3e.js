import{t as e}from"./link-Ds5uqn3o.js";import{c as t,u as n}from"./main-Dx5VnZho.js";import{t as r}from"./present-D_1kSWmV.js";import{n as i,r as a}from"./ListPage-C07TwWMy.js";import{t as o}from"./queries-DI6QXjMn.js";import{o as s,s as c,t as l}from"./useListSearch-OGLVh2KM.js";import{t as u}from"./ServiceNav-DzlrvSD2.js";import{t as d}from"./StaffOnly-RIlbghSK.js";import{t as f}from"./options-1LbvaZw0.js";import{t as p}from"./ProductionStatusLabel-BDJmN-tC.js";import{t as m}from"./Time-CbjtBCgW.js";import{r as h}from"./pt-BR-BucpHF7C.js";import{i as g,n as _,r as v}from"./words-J4RZGRF4.js";import{r as y}from"./react-AyOTluXZ.js";var b=[{name:`createdFrom`,label:g.createdFrom,kind:`date`},{name:`createdTo`,label:g.createdTo,kind:`date`}],x=y(),S=n(`
  query Merchants($first: Int, $after: String, $filter: MerchantFilter, $order: MerchantOrder!) {
    merchants(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id name email company productionStatus productionRequestedAt } }
    }
  }
`),C=[{label:g.store,cell:t=>(0,x.jsx)(e,{to:`/servico/lojistas/$id`,params:{id:t.id},children:t.company??t.name})},{label:g.status,cell:e=>(0,x.jsx)(p,{status:e.productionStatus})},{label:g.person,cell:e=>e.name},{label:g.requested,cell:e=>e.productionRequestedAt&&(0,x.jsx)(m,{value:e.productionRequestedAt})}],w=n(`
  mutation ExportMerchants($filter: MerchantFilter, $order: MerchantOrder!, $format: ExportFormat!, $columns: [MerchantColumn!]) {
    exportMerchants(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`);function T(){return(0,x.jsxs)(d,{children:[(0,x.jsx)(u,{}),(0,x.jsx)(D,{})]})}var E={tabs:{name:`status`,label:g.status,options:f(h)},filters:b,placeholder:g.search,orders:f(v)};function D(){let e=o(),[n,u]=l(E),d=n.order??`queue`,f={filter:s(n,b),order:d},p=a([`merchants`,n],async(e,n)=>{let i={first:25,after:e,...f};return r((await t(S,i,{signal:n})).merchants)});return(0,x.jsx)(i,{title:g.title,search:n,onSearch:u,...E,list:p,columns:C,file:e(`exportMerchants`)&&c(_,async e=>r((await t(w,{...f,...e})).exportMerchants)),empty:{title:g.empty}})}export{T as MerchantsPage};