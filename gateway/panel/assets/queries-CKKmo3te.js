import{t as e}from"./queryOptions-Dfvzj6n2.js";import{n as t,r as n,t as r}from"./graphql-B7XjjIDb.js";import{o as i}from"./main-Dzt6kujY.js";var a=2e3,o=3e4,s=r(`
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
`),c=n=>e({queryKey:[`charge`,n],queryFn:async({signal:e})=>i((await t(s,{id:n},{signal:e})).charge),refetchInterval:({state:e})=>e.data?.status===`pending`&&a}),l=r(`
  query ChargeTimeline($id: ID!, $resourceId: String!) {
    auditRecords(first: 50, filter: { resourceType: "charge", resourceId: $resourceId }, order: created_at_asc) {
      edges { node { id action actorName createdAt } }
    }
    events(first: 50, filter: { resourceId: $id }, order: created_at_asc) {
      edges { node { id type createdAt deliveries { id endpointId status finishedAt attempts { status durationMs } } } }
    }
  }
`),u=(t,r)=>e({queryKey:[`charge`,t,`timeline`,r],queryFn:({signal:e})=>n(l,{id:t,resourceId:t},{signal:e}),refetchInterval:({state:e})=>d(e.data)?a:!1});function d(e){let t=e?.data.events?.edges.map(e=>e.node)??[],n=Math.max(...t.map(e=>Date.parse(e.createdAt)),0);return t.some(e=>e.deliveries.some(e=>e.finishedAt===null))||Date.now()-n<o}export{u as n,c as t};