import{D as e}from"./format-CqjdgUsg.js";import{r as t,t as n}from"./graphql-_m2Zo-_n.js";import{t as r}from"./present-DW0qiDls.js";var i=n(`
  query Coupon($id: ID!) {
    coupon(id: $id) {
      id code description discountType discountValue maxUses maxUsesPerCustomer usesCount minAmount productIds startsAt
      expiresAt isActive createdAt updatedAt paidCount paidAmount lastPaidAt discountedAmount
    }
  }
`),a=n=>e({queryKey:[`coupons`,`one`,n],queryFn:async({signal:e})=>r((await t(i,{id:n},{signal:e})).coupon)}),o=e=>Promise.all([e.invalidateQueries({queryKey:[`coupons`]}),e.invalidateQueries({queryKey:[`links`]})]),s=n(`
  mutation UpdateCoupon($input: UpdateCouponInput!) { updateCoupon(input: $input) { id } }
`),c=n(`
  query ValidateCoupon($code: String!, $amount: Reais, $productId: ID) {
    validateCoupon(code: $code, amount: $amount, productId: $productId) {
      code originalAmount discountAmount finalAmount
    }
  }
`),l=n=>e({queryKey:[`coupons`,`quote`,n],queryFn:async({signal:e})=>r((await t(c,n,{signal:e})).validateCoupon)}),u=n(`
  query FindCoupons($q: String) {
    coupons(first: 20, filter: { q: $q, status: active }, order: code_asc) { edges { node { id code description } } }
  }
`),d=({id:e,code:t,description:n})=>({value:e,label:t,detail:n??void 0});async function f(e,n){let{coupons:i}=await t(u,{q:e||null},{signal:n});return r(i).edges.map(e=>d(e.node))}export{f as a,l as i,d as n,o,a as r,s as t};