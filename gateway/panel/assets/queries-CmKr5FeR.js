import{t as e}from"./queryOptions-D5kIdy4A.js";import{c as t,u as n}from"./main-Dx5VnZho.js";import{t as r}from"./present-D_1kSWmV.js";import{s as i}from"./format-otRkt6Kn.js";import{a}from"./words-q_vcg4LI.js";var o=n(`
  query PaymentLink($id: ID!) {
    paymentLink(id: $id) {
      id url title description amount productId couponId allowCoupons active expiresAt maxUses unpayableReason usesCount
      successUrl cancelUrl chargeExpiresInMinutes externalReference createdAt updatedAt paidCount
      paidAmount lastPaidAt qrCodeUrl
      product { id name price description }
      coupon { id code }
    }
  }
`),s=n=>e({queryKey:[`links`,`one`,n],queryFn:async({signal:e})=>r((await t(o,{id:n},{signal:e})).paymentLink)}),c=n(`
  mutation UpdatePaymentLink($input: UpdatePaymentLinkInput!) { updatePaymentLink(input: $input) { id } }
`),l=e=>e.title??e.product?.name??null,u=n(`
  query FindPaymentLinks($q: String) {
    paymentLinks(first: 20, filter: { q: $q }) { edges { node { id title amount product { name price } } } }
  }
`),d=e=>({value:e.id,label:l(e)??a.noName,detail:i(e.product?.price??e.amount)}),f={of:`links`,find:async(e,n)=>{let{paymentLinks:i}=await t(u,{q:e||null},{signal:n});return r(i).edges.map(e=>d(e.node))},read:async(e,n)=>d(r((await t(o,{id:e},{signal:n})).paymentLink))};export{l as i,s as n,f as r,c as t};