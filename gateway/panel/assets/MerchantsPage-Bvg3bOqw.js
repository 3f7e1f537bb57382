import{t as e}from"./link-Ds5uqn3o.js";import{a as t,r as n}from"./request-CmBGbJcL.js";import{t as r}from"./present-lGORn0O1.js";import{n as i,r as a}from"./ListPage-10yrSQOp.js";import{t as o}from"./queries-BxhiX8HR.js";import{o as s,t as c}from"./useListSearch-DbyWkPU4.js";import{t as l}from"./ServiceNav-DHxRNwu7.js";import{t as u}from"./StaffOnly-C4dMTnKr.js";import{t as d}from"./options-1LbvaZw0.js";import{t as f}from"./ProductionStatusLabel-DvATLbeb.js";import{t as p}from"./Time-7ZbB8kIw.js";import{r as m}from"./pt-BR-DWfhmMOB.js";import{n as h,r as g}from"./words-Bl5UYADx.js";import{r as _}from"./react-AyOTluXZ.js";var v=[{name:`createdFrom`,label:g.createdFrom,kind:`date`},{name:`createdTo`,label:g.createdTo,kind:`date`}],y=_(),b=t(`
  query Merchants($first: Int, $after: String, $filter: MerchantFilter, $order: MerchantOrder!) {
    merchants(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id name email company productionStatus productionRequestedAt } }
    }
  }
`),x=[{label:g.store,cell:t=>(0,y.jsx)(e,{to:`/servico/lojistas/$id`,params:{id:t.id},children:t.company??t.name})},{label:g.status,cell:e=>(0,y.jsx)(f,{status:e.productionStatus})},{label:g.person,cell:e=>e.name},{label:g.requested,cell:e=>e.productionRequestedAt&&(0,y.jsx)(p,{value:e.productionRequestedAt})}],S=t(`
  mutation ExportMerchants($filter: MerchantFilter, $order: MerchantOrder!, $format: ExportFormat!) {
    exportMerchants(filter: $filter, order: $order, format: $format) { url }
  }
`);function C(){return(0,y.jsxs)(u,{children:[(0,y.jsx)(l,{}),(0,y.jsx)(T,{})]})}var w={tabs:{name:`status`,label:g.status,options:d(m)},filters:v,placeholder:g.search,orders:d(h)};function T(){let e=o(),[t,l]=c(w),u=t.order??`queue`,d={filter:s(t,v),order:u},f=a([`merchants`,t],async(e,t)=>{let i={first:25,after:e,...d};return r((await n(b,i,{signal:t})).merchants)});return(0,y.jsx)(i,{title:g.title,search:t,onSearch:l,...w,list:f,columns:x,onExport:e(`exportMerchants`)&&(async e=>r((await n(S,{...d,format:e})).exportMerchants)),empty:{title:g.empty}})}export{C as MerchantsPage};