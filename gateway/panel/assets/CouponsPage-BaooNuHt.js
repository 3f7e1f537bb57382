import{g as e,n as t,t as n}from"./gql-CZjz-Uhh.js";import{bt as r,c as i,et as a,h as o,nt as s,rt as c,tt as l}from"./main-B5CH1OM2.js";import{i as u,r as d,t as f}from"./useListSearch-CnSxP2GZ.js";import{t as p}from"./queries-CChtE3VT.js";import{t as m}from"./LinkButton-ClaaUTUq.js";import{t as h}from"./uses-DRk8YF7c.js";import{r as g}from"./pt-BR-BHQIgAHB.js";import{n as _,t as v}from"./CouponStatus-DuShzHis.js";import{r as y}from"./react-AyOTluXZ.js";var b=y(),x=n(`
  query Coupons($first: Int, $after: String, $filter: CouponFilter, $order: CouponOrder!) {
    coupons(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id code discountType discountValue maxUses usesCount startsAt expiresAt isActive } }
    }
  }
`),S=[{label:c.code,cell:t=>(0,b.jsx)(e,{to:`/cupons/$id`,params:{id:t.id},children:t.code})},{label:c.discount,align:`end`,cell:e=>_(e.discountType,e.discountValue)},{label:c.status,cell:e=>(0,b.jsx)(v,{coupon:e})},{label:c.uses,align:`end`,cell:e=>(0,b.jsxs)(b.Fragment,{children:[(0,b.jsxs)(`span`,{className:`phone-only`,children:[c.uses,`: `]}),h(e.usesCount,e.maxUses)]})}];function C(){let e=p(),[n,h]=f(),_=u([`coupons`,n],async(e,i)=>{let s=n.order??`created_at_desc`,c={first:25,after:e,filter:r(n,a),order:s};return o((await t(x,c,{signal:i})).coupons)});return(0,b.jsx)(d,{title:c.title,action:e(`createCoupon`)&&(0,b.jsx)(m,{to:`/cupons/novo`,children:c.newCoupon}),search:n,onSearch:h,tabs:{name:`status`,label:c.status,all:g.list.allMasculine,options:i(s)},filters:a,placeholder:c.search,orders:i(l),list:_,columns:S,empty:{title:c.empty,children:(0,b.jsx)(`p`,{children:c.emptyLead})}})}export{C as CouponsPage};