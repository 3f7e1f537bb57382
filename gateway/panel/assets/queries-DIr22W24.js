import{r as e}from"./react-AyOTluXZ.js";import{A as t,D as n}from"./format-Bn0KZV_R.js";import{a as r,r as i}from"./request-CmBGbJcL.js";import{t as a}from"./present-8JMv9I8t.js";import{t as o}from"./Status-Cae2GInu.js";import{a as s}from"./words-q_vcg4LI.js";function c(e,t=n()){return e.unpayableReason?{tone:`bad`,text:s.blocked}:e.active?{tone:`good`,text:s.active}:e.maxUses&&e.usesCount>=e.maxUses?{tone:`quiet`,text:s.usedUp}:e.expiresAt&&new Date(e.expiresAt)<t?{tone:`quiet`,text:s.expired}:{tone:`quiet`,text:s.inactive}}var l=e();function u({link:e}){let{tone:t,text:n}=c(e);return(0,l.jsx)(o,{tone:t,children:n})}var d=r(`
  query PaymentLink($id: ID!) {
    paymentLink(id: $id) {
      id url title description amount productId couponId allowCoupons active expiresAt maxUses unpayableReason usesCount
      successUrl cancelUrl chargeExpiresInMinutes externalReference createdAt updatedAt paidCount
      paidAmount lastPaidAt qrCodeUrl
      product { id name price description }
      coupon { id code }
    }
  }
`),f=e=>t({queryKey:[`links`,`one`,e],queryFn:async({signal:t})=>a((await i(d,{id:e},{signal:t})).paymentLink)}),p=r(`
  mutation UpdatePaymentLink($input: UpdatePaymentLinkInput!) { updatePaymentLink(input: $input) { id } }
`),m=e=>e.title??e.product?.name??null;export{u as i,f as n,m as r,p as t};