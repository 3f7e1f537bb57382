import{t as e}from"./queryOptions-C9DoWxj0.js";import{a as t,r as n}from"./request-QLMvDYM1.js";import{t as r}from"./present-C6ZMvN9P.js";import{s as i}from"./format-otRkt6Kn.js";import{a}from"./words-q_vcg4LI.js";var o=t(`
  query PaymentLink($id: ID!) {
    paymentLink(id: $id) {
      id url title description amount productId couponId allowCoupons active expiresAt maxUses unpayableReason usesCount
      successUrl cancelUrl chargeExpiresInMinutes externalReference createdAt updatedAt paidCount
      paidAmount lastPaidAt qrCodeUrl
      product { id name price description }
      coupon { id code }
    }
  }
`),s=t=>e({queryKey:[`links`,`one`,t],queryFn:async({signal:e})=>r((await n(o,{id:t},{signal:e})).paymentLink)}),c=t(`
  mutation UpdatePaymentLink($input: UpdatePaymentLinkInput!) { updatePaymentLink(input: $input) { id } }
`),l=e=>e.title??e.product?.name??null,u=t(`
  query FindPaymentLinks($q: String) {
    paymentLinks(first: 20, filter: { q: $q }) { edges { node { id title amount product { name price } } } }
  }
`),d=e=>({value:e.id,label:l(e)??a.noName,detail:i(e.product?.price??e.amount)}),f={of:`links`,find:async(e,t)=>{let{paymentLinks:i}=await n(u,{q:e||null},{signal:t});return r(i).edges.map(e=>d(e.node))},read:async(e,t)=>d(r((await n(o,{id:e},{signal:t})).paymentLink))};export{l as i,s as n,f as r,c as t};