import{A as e,s as t}from"./format-Bn0KZV_R.js";import{a as n,r}from"./request-CmBGbJcL.js";import{t as i}from"./present-CmSYEtVt.js";import{a}from"./words-q_vcg4LI.js";var o=n(`
  query PaymentLink($id: ID!) {
    paymentLink(id: $id) {
      id url title description amount productId couponId allowCoupons active expiresAt maxUses unpayableReason usesCount
      successUrl cancelUrl chargeExpiresInMinutes externalReference createdAt updatedAt paidCount
      paidAmount lastPaidAt qrCodeUrl
      product { id name price description }
      coupon { id code }
    }
  }
`),s=t=>e({queryKey:[`links`,`one`,t],queryFn:async({signal:e})=>i((await r(o,{id:t},{signal:e})).paymentLink)}),c=n(`
  mutation UpdatePaymentLink($input: UpdatePaymentLinkInput!) { updatePaymentLink(input: $input) { id } }
`),l=e=>e.title??e.product?.name??null,u=n(`
  query FindPaymentLinks($q: String) {
    paymentLinks(first: 20, filter: { q: $q }) { edges { node { id title amount product { name price } } } }
  }
`),d=e=>({value:e.id,label:l(e)??a.noName,detail:t(e.product?.price??e.amount)}),f={of:`links`,find:async(e,t)=>{let{paymentLinks:n}=await r(u,{q:e||null},{signal:t});return i(n).edges.map(e=>d(e.node))},read:async(e,t)=>d(i((await r(o,{id:e},{signal:t})).paymentLink))};export{l as i,s as n,f as r,c as t};