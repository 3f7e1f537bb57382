import{t as e}from"./link-Ds5uqn3o.js";import{a as t,r as n}from"./request-CmBGbJcL.js";import{t as r}from"./present-lGORn0O1.js";import{n as i,r as a}from"./ListPage-10yrSQOp.js";import{t as o}from"./queries-BxhiX8HR.js";import{o as s,t as c}from"./useListSearch-DbyWkPU4.js";import{n as l}from"./words-xOtjye_d.js";import{t as u}from"./LinkButton-BnkiAJg5.js";import{t as d}from"./options-1LbvaZw0.js";import{t as f}from"./uses-C97H8WyU.js";import{n as p,t as m}from"./CouponStatus-2_fW7YAB.js";import{n as h,r as g,t as _}from"./words-Byy0FVWU.js";import{r as v}from"./react-AyOTluXZ.js";var y=[{name:`createdFrom`,label:g.createdFrom,kind:`date`},{name:`createdTo`,label:g.createdTo,kind:`date`},{name:`code`,label:g.code,kind:`text`}],b=v(),x=t(`
  query Coupons($first: Int, $after: String, $filter: CouponFilter, $order: CouponOrder!) {
    coupons(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id code discountType discountValue maxUses usesCount startsAt expiresAt isActive } }
    }
  }
`),S=t(`
  mutation ExportCoupons($filter: CouponFilter, $order: CouponOrder!, $format: ExportFormat!) {
    exportCoupons(filter: $filter, order: $order, format: $format) { url }
  }
`),C=[{label:g.code,cell:t=>(0,b.jsx)(e,{to:`/cupons/$id`,params:{id:t.id},children:t.code})},{label:g.discount,align:`end`,cell:e=>p(e.discountType,e.discountValue)},{label:g.status,cell:e=>(0,b.jsx)(m,{coupon:e})},{label:g.uses,align:`end`,cell:e=>(0,b.jsxs)(b.Fragment,{children:[(0,b.jsxs)(`span`,{className:`phone-only`,children:[g.uses,`: `]}),f(e.usesCount,e.maxUses)]})}],w={tabs:{name:`status`,label:g.status,all:l.allMasculine,options:d(h)},filters:y,placeholder:g.search,orders:d(_)};function T(){let e=o(),[t,l]=c(w),d=t.order??`created_at_desc`,f={filter:s(t,y),order:d},p=a([`coupons`,t],async(e,t)=>{let i={first:25,after:e,...f};return r((await n(x,i,{signal:t})).coupons)});return(0,b.jsx)(i,{title:g.title,action:e(`createCoupon`)&&(0,b.jsx)(u,{to:`/cupons/novo`,children:g.newCoupon}),search:t,onSearch:l,...w,list:p,columns:C,onExport:e(`exportCoupons`)&&(async e=>r((await n(S,{...f,format:e})).exportCoupons)),empty:{title:g.empty,children:(0,b.jsx)(`p`,{children:g.emptyLead})}})}export{T as CouponsPage};