import{t as e}from"./link-Ds5uqn3o.js";import{a as t,r as n}from"./request-CmBGbJcL.js";import{t as r}from"./present-lGORn0O1.js";import{n as i,r as a}from"./ListPage-_2EkWFOJ.js";import{t as o}from"./BalanceNav-BQvNoWDC.js";import{t as s}from"./queries-cOu0VojD.js";import{o as c,t as l}from"./useListSearch-BQL78oSe.js";import{t as u}from"./Money-DtIwY9D_.js";import{t as d}from"./options-1LbvaZw0.js";import{t as f}from"./Time-DquCk8sd.js";import{i as p,n as m,r as h,t as g}from"./RefundStatus-l7HEpO7y.js";import{r as _}from"./react-AyOTluXZ.js";var v=[{name:`createdFrom`,label:p.createdFrom,kind:`date`},{name:`createdTo`,label:p.createdTo,kind:`date`},{name:`externalReference`,label:p.reference,kind:`text`},{name:`chargeId`,label:p.ofCharge,kind:`parent`}],y=_(),b=t(`
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
`),S=[{label:p.charge,cell:({chargeId:t,charge:n})=>(0,y.jsx)(e,{to:`/cobrancas/$id`,params:{id:t},children:n?.customerName??n?.description??p.charge})},{label:p.amount,align:`end`,cell:e=>(0,y.jsx)(u,{value:e.amount})},{label:p.status,cell:e=>(0,y.jsx)(g,{status:e.status})},{label:p.created,cell:e=>(0,y.jsx)(f,{value:e.createdAt})}];function C(){let e=s(),[t,u]=l(),f=t.order??`created_at_desc`,g={filter:c(t,v),order:f},_=a([`balance`,`refunds`,t],async(e,t)=>{let i={first:25,after:e,...g};return r((await n(b,i,{signal:t})).refunds)});return(0,y.jsxs)(y.Fragment,{children:[(0,y.jsx)(o,{}),(0,y.jsx)(i,{title:p.title,search:t,onSearch:u,tabs:{name:`status`,label:p.status,options:d(h)},filters:v,placeholder:p.search,orders:d(m),list:_,columns:S,onExport:e(`exportRefunds`)&&(async e=>r((await n(x,{...g,format:e})).exportRefunds)),empty:{title:p.empty,children:(0,y.jsx)(`p`,{children:p.emptyLead})}})]})}export{C as RefundsPage};