import{t as e}from"./queryOptions-D5kIdy4A.js";import{c as t,u as n}from"./main-Dx5VnZho.js";import{t as r}from"./present-D_1kSWmV.js";var i=n(`
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
  query FindCoupons($q: String, $status: CouponStatus) {
    coupons(first: 20, filter: { q: $q, status: $status }, order: code_asc) { edges { node { id code description } } }
  }
`),d=({id:e,code:t,description:n})=>({value:e,label:t,detail:n??void 0}),f=(e,t)=>m(e,`active`,t),p={of:`all coupons`,find:(e,t)=>m(e,null,t),read:async(e,n)=>d(r((await t(i,{id:e},{signal:n})).coupon))};async function m(e,n,i){let{coupons:a}=await t(u,{q:e||null,status:n},{signal:i});return r(a).edges.map(e=>d(e.node))}export{p as a,l as i,d as n,f as o,a as r,o as s,s as t};