import{t as e}from"./link-Ds5uqn3o.js";import{r as t,t as n}from"./graphql-_m2Zo-_n.js";import{d as r,o as i}from"./main-C-oYntFE.js";import{n as a,r as o}from"./ListPage-CMQvye-T.js";import{t as s}from"./queries-_SQB2jpZ.js";import{t as c}from"./useListSearch-CPBOzUJY.js";import{n as l}from"./words-xOtjye_d.js";import{t as u}from"./LinkButton-DTFncre9.js";import{t as d}from"./options-1LbvaZw0.js";import{t as f}from"./uses-Dhlb_mVO.js";import{n as p,t as m}from"./CouponStatus-DMUJBHsk.js";import{n as h,r as g,t as _}from"./words-Byy0FVWU.js";import{r as v}from"./react-AyOTluXZ.js";var y=[{name:`createdFrom`,label:g.createdFrom,kind:`date`},{name:`createdTo`,label:g.createdTo,kind:`date`},{name:`code`,label:g.code,kind:`text`}],b=v(),x=n(`
  query Coupons($first: Int, $after: String, $filter: CouponFilter, $order: CouponOrder!) {
    coupons(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id code discountType discountValue maxUses usesCount startsAt expiresAt isActive } }
    }
  }
`),S=n(`
  mutation ExportCoupons($filter: CouponFilter, $order: CouponOrder!, $format: ExportFormat!) {
    exportCoupons(filter: $filter, order: $order, format: $format) { url }
  }
`),C=[{label:g.code,cell:t=>(0,b.jsx)(e,{to:`/cupons/$id`,params:{id:t.id},children:t.code})},{label:g.discount,align:`end`,cell:e=>p(e.discountType,e.discountValue)},{label:g.status,cell:e=>(0,b.jsx)(m,{coupon:e})},{label:g.uses,align:`end`,cell:e=>(0,b.jsxs)(b.Fragment,{children:[(0,b.jsxs)(`span`,{className:`phone-only`,children:[g.uses,`: `]}),f(e.usesCount,e.maxUses)]})}];function w(){let e=s(),[n,f]=c(),p=n.order??`created_at_desc`,m={filter:r(n,y),order:p},v=o([`coupons`,n],async(e,n)=>{let r={first:25,after:e,...m};return i((await t(x,r,{signal:n})).coupons)});return(0,b.jsx)(a,{title:g.title,action:e(`createCoupon`)&&(0,b.jsx)(u,{to:`/cupons/novo`,children:g.newCoupon}),search:n,onSearch:f,tabs:{name:`status`,label:g.status,all:l.allMasculine,options:d(h)},filters:y,placeholder:g.search,orders:d(_),list:v,columns:C,onExport:e(`exportCoupons`)&&(async e=>i((await t(S,{...m,format:e})).exportCoupons)),empty:{title:g.empty,children:(0,b.jsx)(`p`,{children:g.emptyLead})}})}export{w as CouponsPage};