import{T as e}from"./format-LVDePZwA.js";import{i as t,r as n,t as r}from"./graphql-_m2Zo-_n.js";import{n as i}from"./live-CYLx3Hhm.js";import{t as a}from"./present-e-KQD3Sj.js";var o=2e3,s=3e4,c=r(`
  query Charge($id: ID!) {
    charge(id: $id) {
      id txid status underReview environment description amount originalAmount discountAmount feeAmount netAmount
      customerName customerEmail customerCpf customerPhone couponCode productId externalReference linkReference metadata
      successUrl cancelUrl expiresAt pixCode endToEndId paidAt paidLate createdAt checkoutUrl receiptUrl qrCodeUrl
      customer { id name }
      product { id name price }
      subscription { id description }
      paymentLink { id title }
    }
  }
`),l=t=>e({queryKey:[`charge`,t],queryFn:async({signal:e})=>a((await n(c,{id:t},{signal:e})).charge),refetchInterval:({state:e})=>e.data?.status===`pending`&&i(o)()}),u=r(`
  query ChargeTimeline($id: ID!, $resourceId: String!) {
    auditRecords(first: 50, filter: { resourceType: "charge", resourceId: $resourceId }, order: created_at_asc) {
      edges { node { id action actorName createdAt } }
    }
    events(first: 50, filter: { resourceId: $id }, order: created_at_asc) {
      edges { node { id type createdAt deliveries { id endpointId status finishedAt attempts { status durationMs } } } }
    }
  }
`),d=(n,r)=>e({queryKey:[`charge`,n,`timeline`,r],queryFn:({signal:e})=>t(u,{id:n,resourceId:n},{signal:e}),refetchInterval:({state:e})=>f(e.data)?i(o)():!1});function f(e){let t=e?.data.events?.edges.map(e=>e.node)??[],n=Math.max(...t.map(e=>Date.parse(e.createdAt)),0);return t.some(e=>e.deliveries.some(e=>e.finishedAt===null))||Date.now()-n<s}export{d as n,l as t};