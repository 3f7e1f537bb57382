import{t as e}from"./link-Ds5uqn3o.js";import{c as t,u as n}from"./main-Dx5VnZho.js";import{t as r}from"./present-D_1kSWmV.js";import{n as i,r as a}from"./ListPage-C07TwWMy.js";import{t as o}from"./queries-DI6QXjMn.js";import{o as s,s as c,t as l}from"./useListSearch-OGLVh2KM.js";import{n as u}from"./words-BPNyrhnL.js";import{t as d}from"./LinkButton-Cxv3J9bH.js";import{t as f}from"./options-1LbvaZw0.js";import{t as p}from"./uses-e0ykWjj9.js";import{n as m,t as h}from"./CouponStatus-DVbjn6dI.js";import{i as g,n as _,r as v,t as y}from"./words-Cuxv57LL.js";import{r as b}from"./react-AyOTluXZ.js";var x=[{name:`createdFrom`,label:g.createdFrom,kind:`date`},{name:`createdTo`,label:g.createdTo,kind:`date`},{name:`code`,label:g.code,kind:`text`}],S=b(),C=n(`
  query Coupons($first: Int, $after: String, $filter: CouponFilter, $order: CouponOrder!) {
    coupons(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id code discountType discountValue maxUses usesCount startsAt expiresAt isActive } }
    }
  }
`),w=n(`
  mutation ExportCoupons($filter: CouponFilter, $order: CouponOrder!, $format: ExportFormat!, $columns: [CouponColumn!]) {
    exportCoupons(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`),T=[{label:g.code,cell:t=>(0,S.jsx)(e,{to:`/cupons/$id`,params:{id:t.id},children:t.code})},{label:g.discount,align:`end`,cell:e=>m(e.discountType,e.discountValue)},{label:g.status,cell:e=>(0,S.jsx)(h,{coupon:e})},{label:g.uses,align:`end`,cell:e=>(0,S.jsxs)(S.Fragment,{children:[(0,S.jsxs)(`span`,{className:`phone-only`,children:[g.uses,`: `]}),p(e.usesCount,e.maxUses)]})}],E={tabs:{name:`status`,label:g.status,all:u.allMasculine,options:f(v)},filters:x,placeholder:g.search,orders:f(_)};function D(){let e=o(),[n,u]=l(E),f=n.order??`created_at_desc`,p={filter:s(n,x),order:f},m=a([`coupons`,n],async(e,n)=>{let i={first:25,after:e,...p};return r((await t(C,i,{signal:n})).coupons)});return(0,S.jsx)(i,{title:g.title,action:e(`createCoupon`)&&(0,S.jsx)(d,{to:`/cupons/novo`,children:g.newCoupon}),search:n,onSearch:u,...E,list:m,columns:T,file:e(`exportCoupons`)&&c(y,async e=>r((await t(w,{...p,...e})).exportCoupons)),empty:{title:g.empty,lead:g.emptyLead,docs:`grupo-cupons`}})}export{D as CouponsPage};