import{t as e}from"./link-Ds5uqn3o.js";import{a as t,r as n}from"./request-CmBGbJcL.js";import{t as r}from"./present-lGORn0O1.js";import{n as i,r as a}from"./ListPage-10yrSQOp.js";import{t as o}from"./BalanceNav-BQvNoWDC.js";import{t as s}from"./queries-BxhiX8HR.js";import{o as c,t as l}from"./useListSearch-DbyWkPU4.js";import{t as u}from"./Money-C_BvHsTP.js";import{t as d}from"./options-1LbvaZw0.js";import{t as f}from"./Time-7ZbB8kIw.js";import{i as p,n as m,r as h,t as g}from"./RefundStatus-l7HEpO7y.js";import{r as _}from"./react-AyOTluXZ.js";var v=[{name:`createdFrom`,label:p.createdFrom,kind:`date`},{name:`createdTo`,label:p.createdTo,kind:`date`},{name:`externalReference`,label:p.reference,kind:`text`},{name:`chargeId`,label:p.ofCharge,kind:`parent`}],y=_(),b=t(`
  query Refunds($first: Int, $after: String, $filter: RefundFilter, $order: RefundOrder!) {
    refunds(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id status amount chargeId createdAt charge { customerName description } } }
    }
  }
`),x=t(`
  mutation ExportRefunds($filter: RefundFilter, $order: RefundOrder!, $format: ExportFormat!) {
    exportRefunds(filter: $filter, order: $order, format: $format) { url }
  }
`),S=[{label:p.charge,cell:({chargeId:t,charge:n})=>(0,y.jsx)(e,{to:`/cobrancas/$id`,params:{id:t},children:n?.customerName??n?.description??p.charge})},{label:p.amount,align:`end`,cell:e=>(0,y.jsx)(u,{value:e.amount})},{label:p.status,cell:e=>(0,y.jsx)(g,{status:e.status})},{label:p.created,cell:e=>(0,y.jsx)(f,{value:e.createdAt})}],C={tabs:{name:`status`,label:p.status,options:d(h)},filters:v,placeholder:p.search,orders:d(m)};function w(){let e=s(),[t,u]=l(C),d=t.order??`created_at_desc`,f={filter:c(t,v),order:d},m=a([`balance`,`refunds`,t],async(e,t)=>{let i={first:25,after:e,...f};return r((await n(b,i,{signal:t})).refunds)});return(0,y.jsxs)(y.Fragment,{children:[(0,y.jsx)(o,{}),(0,y.jsx)(i,{title:p.title,search:t,onSearch:u,...C,list:m,columns:S,onExport:e(`exportRefunds`)&&(async e=>r((await n(x,{...f,format:e})).exportRefunds)),empty:{title:p.empty,children:(0,y.jsx)(`p`,{children:p.emptyLead})}})]})}export{w as RefundsPage};