import{t as e}from"./link-Ds5uqn3o.js";import{c as t,u as n}from"./main-Dx5VnZho.js";import{t as r}from"./present-D_1kSWmV.js";import{n as i,r as a}from"./ListPage-C07TwWMy.js";import{t as o}from"./BalanceNav-DJzFlL62.js";import{t as s}from"./queries-DI6QXjMn.js";import{o as c,s as l,t as u}from"./useListSearch-OGLVh2KM.js";import{t as d}from"./Money-BM-EQou1.js";import{t as f}from"./options-1LbvaZw0.js";import{t as p}from"./Time-CbjtBCgW.js";import{a as m,i as h,n as g,r as _,t as v}from"./RefundStatus-CFr7EY7E.js";import{r as y}from"./react-AyOTluXZ.js";var b=[{name:`createdFrom`,label:m.createdFrom,kind:`date`},{name:`createdTo`,label:m.createdTo,kind:`date`},{name:`externalReference`,label:m.reference,kind:`text`},{name:`chargeId`,label:m.ofCharge,kind:`parent`}],x=y(),S=n(`
  query Refunds($first: Int, $after: String, $filter: RefundFilter, $order: RefundOrder!) {
    refunds(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id status amount chargeId createdAt charge { customerName description } } }
    }
  }
`),C=n(`
  mutation ExportRefunds($filter: RefundFilter, $order: RefundOrder!, $format: ExportFormat!, $columns: [RefundColumn!]) {
    exportRefunds(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`),w=[{label:m.charge,cell:({chargeId:t,charge:n})=>(0,x.jsx)(e,{to:`/cobrancas/$id`,params:{id:t},children:n?.customerName??n?.description??m.charge})},{label:m.amount,align:`end`,cell:e=>(0,x.jsx)(d,{value:e.amount})},{label:m.status,cell:e=>(0,x.jsx)(v,{status:e.status})},{label:m.created,cell:e=>(0,x.jsx)(p,{value:e.createdAt})}],T={tabs:{name:`status`,label:m.status,options:f(h)},filters:b,placeholder:m.search,orders:f(_)};function E(){let e=s(),[n,d]=u(T),f=n.order??`created_at_desc`,p={filter:c(n,b),order:f},h=a([`balance`,`refunds`,n],async(e,n)=>{let i={first:25,after:e,...p};return r((await t(S,i,{signal:n})).refunds)});return(0,x.jsxs)(x.Fragment,{children:[(0,x.jsx)(o,{}),(0,x.jsx)(i,{title:m.title,search:n,onSearch:d,...T,list:h,columns:w,file:e(`exportRefunds`)&&l(g,async e=>r((await t(C,{...p,...e})).exportRefunds)),empty:{title:m.empty,lead:m.emptyLead,docs:`grupo-devoluções`}})]})}export{E as RefundsPage};