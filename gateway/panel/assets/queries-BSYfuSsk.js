import{A as e}from"./format-Bn0KZV_R.js";import{a as t,r as n}from"./request-CmBGbJcL.js";import{t as r}from"./present-8JMv9I8t.js";var i=t(`
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
  query FindCoupons($q: String) {
    coupons(first: 20, filter: { q: $q, status: active }, order: code_asc) { edges { node { id code description } } }
  }
`),d=({id:e,code:t,description:n})=>({value:e,label:t,detail:n??void 0});async function f(e,t){let{coupons:i}=await n(u,{q:e||null},{signal:t});return r(i).edges.map(e=>d(e.node))}export{f as a,l as i,d as n,o,a as r,s as t};