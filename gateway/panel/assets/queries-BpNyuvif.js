import{r as e}from"./react-AyOTluXZ.js";import{O as t}from"./format-BpLF_UG5.js";import{a as n,r}from"./request-CmBGbJcL.js";import{t as i}from"./present-lGORn0O1.js";import{t as a}from"./Status-Cae2GInu.js";import{i as o}from"./words-BYGo-U0w.js";function s(e,t=new Date){return e.unpayableReason?{tone:`bad`,text:o.blocked}:e.active?{tone:`good`,text:o.active}:e.maxUses&&e.usesCount>=e.maxUses?{tone:`quiet`,text:o.usedUp}:e.expiresAt&&new Date(e.expiresAt)<t?{tone:`quiet`,text:o.expired}:{tone:`quiet`,text:o.inactive}}var c=e();function l({link:e}){let{tone:t,text:n}=s(e);return(0,c.jsx)(a,{tone:t,children:n})}var u=n(`
  query PaymentLink($id: ID!) {
    paymentLink(id: $id) {
      id url title description amount productId couponId allowCoupons active expiresAt maxUses unpayableReason usesCount
      successUrl cancelUrl chargeExpiresInMinutes externalReference createdAt updatedAt paidCount
      paidAmount lastPaidAt qrCodeUrl
      product { id name price description }
      coupon { id code }
    }
  }
`),d=e=>t({queryKey:[`links`,`one`,e],queryFn:async({signal:t})=>i((await r(u,{id:e},{signal:t})).paymentLink)}),f=n(`
  mutation UpdatePaymentLink($input: UpdatePaymentLinkInput!) { updatePaymentLink(input: $input) { id } }
`),p=e=>e.title??e.product?.name??null;export{l as i,d as n,p as r,f as t};