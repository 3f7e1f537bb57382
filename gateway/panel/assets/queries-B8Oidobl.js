import{t as e}from"./queryOptions-C9DoWxj0.js";import{a as t,r as n}from"./request-QLMvDYM1.js";import{t as r}from"./present-C6ZMvN9P.js";var i=t(`
  query Coupon($id: ID!) {
    coupon(id: $id) {
      id code description discountType discountValue maxUses maxUsesPerCustomer usesCount minAmount productIds startsAt
      expiresAt isActive createdAt updatedAt paidCount paidAmount lastPaidAt discountedAmount
    }
  }
`),a=t=>e({queryKey:[`coupons`,`one`,t],queryFn:async({signal:e})=>r((await n(i,{id:t},{signal:e})).coupon)}),o=e=>Promise.all([e.invalidateQueries({queryKey:[`coupons`]}),e.invalidateQueries({queryKey:[`links`]})]),s=t(`
  mutation UpdateCoupon($input: UpdateCouponInput!) { updateCoupon(input: $input) { id } }
`),c=t(`
  query ValidateCoupon($code: String!, $amount: Reais, $productId: ID) {
    validateCoupon(code: $code, amount: $amount, productId: $productId) {
      code originalAmount discountAmount finalAmount
    }
  }
`),l=t=>e({queryKey:[`coupons`,`quote`,t],queryFn:async({signal:e})=>r((await n(c,t,{signal:e})).validateCoupon)}),u=t(`
  query FindCoupons($q: String, $status: CouponStatus) {
    coupons(first: 20, filter: { q: $q, status: $status }, order: code_asc) { edges { node { id code description } } }
  }
`),d=({id:e,code:t,description:n})=>({value:e,label:t,detail:n??void 0}),f=(e,t)=>m(e,`active`,t),p={of:`all coupons`,find:(e,t)=>m(e,null,t),read:async(e,t)=>d(r((await n(i,{id:e},{signal:t})).coupon))};async function m(e,t,i){let{coupons:a}=await n(u,{q:e||null,status:t},{signal:i});return r(a).edges.map(e=>d(e.node))}export{p as a,l as i,d as n,f as o,a as r,o as s,s as t};