import{t as e}from"./queryOptions-Dfvzj6n2.js";import{n as t,t as n}from"./gql-CZjz-Uhh.js";import{h as r}from"./main-B5CH1OM2.js";var i=n(`
  query Coupon($id: ID!) {
    coupon(id: $id) {
      id code description discountType discountValue maxUses maxUsesPerCustomer usesCount minAmount productIds startsAt
      expiresAt isActive createdAt updatedAt
    }
  }
`),a=n=>e({queryKey:[`coupons`,`one`,n],queryFn:async({signal:e})=>r((await t(i,{id:n},{signal:e})).coupon)}),o=n(`
  mutation UpdateCoupon($input: UpdateCouponInput!) { updateCoupon(input: $input) { id } }
`),s=n(`
  query ValidateCoupon($code: String!, $amount: Reais, $productId: ID) {
    validateCoupon(code: $code, amount: $amount, productId: $productId) {
      code originalAmount discountAmount finalAmount
    }
  }
`),c=n=>e({queryKey:[`coupons`,`quote`,n],queryFn:async({signal:e})=>r((await t(s,n,{signal:e})).validateCoupon)}),l=n(`
  query FindCoupons($q: String) {
    coupons(first: 20, filter: { q: $q, status: active }, order: code_asc) { edges { node { id code description } } }
  }
`),u=({id:e,code:t,description:n})=>({value:e,label:t,detail:n??void 0});async function d(e,n){let{coupons:i}=await t(l,{q:e||null},{signal:n});return r(i).edges.map(e=>u(e.node))}export{d as a,c as i,u as n,a as r,o as t};