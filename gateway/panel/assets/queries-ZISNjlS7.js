import{t as e}from"./queryOptions-D5kIdy4A.js";import{c as t,l as n,u as r}from"./main-Dx5VnZho.js";import{n as i}from"./live-2XAa4yQY.js";import{t as a}from"./present-D_1kSWmV.js";var o=({status:e})=>e===`pending`||e===`processing`;function s({amount:e,refundedAmount:t,refunds:n}){let r=[t,...n.filter(o).map(e=>e.amount)].reduce((e,t)=>e-Math.round(t*100),Math.round(e*100));return Math.max(r,0)/100}var c=2e3,l=3e4,u=r(`
  query Charge($id: ID!) {
    charge(id: $id) {
      id txid status underReview environment description amount originalAmount discountAmount feeAmount netAmount
      customerName customerEmail customerCpf customerPhone couponCode productId externalReference linkReference
      successUrl cancelUrl expiresAt pixCode endToEndId paidAt paidLate refundedAmount createdAt updatedAt checkoutUrl
      receiptUrl qrCodeUrl actions metadata
      customer { id name }
      product { id name price }
      coupon { id }
      subscription { id description }
      paymentLink { id title }
      refunds { id status amount reason rejectReason createdAt completedAt rejectedAt }
    }
  }
`),d=n=>e({queryKey:[`charge`,n],queryFn:async({signal:e})=>a((await t(u,{id:n},{signal:e})).charge),refetchInterval:({state:e})=>e.data?.status===`pending`||e.data?.refunds.some(o)?i(c)():!1}),f=r(`
  query ChargeTimeline($id: ID!, $resourceId: String!) {
    auditRecords(first: 50, filter: { resourceType: "charge", resourceId: $resourceId }, order: created_at_asc) {
      edges { node { id action actorName createdAt } }
    }
    events(first: 50, filter: { resourceId: $id }, order: created_at_asc) {
      edges { node { id type createdAt deliveries { id endpointId status finishedAt attempts { status durationMs } } } }
    }
  }
`),p=(t,r)=>e({queryKey:[`charge`,t,`timeline`,r],queryFn:({signal:e})=>n(f,{id:t,resourceId:t},{signal:e}),refetchInterval:({state:e})=>m(e.data)?i(c)():!1});function m(e){let t=e?.data.events?.edges.map(e=>e.node)??[],n=Math.max(...t.map(e=>Date.parse(e.createdAt)),0);return t.some(e=>e.deliveries.some(e=>e.finishedAt===null))||Date.now()-n<l}var h=r(`
  query ChargeRequirements { service { minimumAmount } receivingAccount { status aprovacao { aprovada } } }
`),g=e({queryKey:[`receivingAccount`,`requirements`],queryFn:async({signal:e})=>(await n(h,{},{signal:e})).data});export{s as i,g as n,p as r,d as t};