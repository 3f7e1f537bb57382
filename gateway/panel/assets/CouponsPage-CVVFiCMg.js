import{t as e}from"./link-Ds5uqn3o.js";import{r as t,t as n}from"./graphql-_m2Zo-_n.js";import{t as r}from"./present-DW0qiDls.js";import{n as i,r as a}from"./ListPage-BiCtHRZ7.js";import{t as o}from"./queries-mDr1dz_V.js";import{a as s,t as c}from"./useListSearch-DoeM6H5_.js";import{n as l}from"./words-xOtjye_d.js";import{t as u}from"./LinkButton-wyeUWMRu.js";import{t as d}from"./options-1LbvaZw0.js";import{t as f}from"./uses-B_tcDtqD.js";import{n as p,t as m}from"./CouponStatus-Bxm-jmyz.js";import{n as h,r as g,t as _}from"./words-Byy0FVWU.js";import{r as v}from"./react-AyOTluXZ.js";var y=[{name:`createdFrom`,label:g.createdFrom,kind:`date`},{name:`createdTo`,label:g.createdTo,kind:`date`},{name:`code`,label:g.code,kind:`text`}],b=v(),x=n(`
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
`),C=[{label:g.code,cell:t=>(0,b.jsx)(e,{to:`/cupons/$id`,params:{id:t.id},children:t.code})},{label:g.discount,align:`end`,cell:e=>p(e.discountType,e.discountValue)},{label:g.status,cell:e=>(0,b.jsx)(m,{coupon:e})},{label:g.uses,align:`end`,cell:e=>(0,b.jsxs)(b.Fragment,{children:[(0,b.jsxs)(`span`,{className:`phone-only`,children:[g.uses,`: `]}),f(e.usesCount,e.maxUses)]})}];function w(){let e=o(),[n,f]=c(),p=n.order??`created_at_desc`,m={filter:s(n,y),order:p},v=a([`coupons`,n],async(e,n)=>{let i={first:25,after:e,...m};return r((await t(x,i,{signal:n})).coupons)});return(0,b.jsx)(i,{title:g.title,action:e(`createCoupon`)&&(0,b.jsx)(u,{to:`/cupons/novo`,children:g.newCoupon}),search:n,onSearch:f,tabs:{name:`status`,label:g.status,all:l.allMasculine,options:d(h)},filters:y,placeholder:g.search,orders:d(_),list:v,columns:C,onExport:e(`exportCoupons`)&&(async e=>r((await t(S,{...m,format:e})).exportCoupons)),empty:{title:g.empty,children:(0,b.jsx)(`p`,{children:g.emptyLead})}})}export{w as CouponsPage};