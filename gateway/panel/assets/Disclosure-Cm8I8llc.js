import{r as e}from"./react-AyOTluXZ.js";import{n as t,t as n}from"./icons-D-25Hp-i.js";import{a as r,i,n as a,r as o}from"./Notice-BL_20PAM.js";var s={back:`_back_1vc8h_1`,head:`_head_1vc8h_13`,actions:`_actions_1vc8h_14`,columns:`_columns_1vc8h_21`,aside:`_aside_1vc8h_27`,main:`_main_1vc8h_28`},c=e();function l({back:e,heading:t,status:r,actions:i,aside:a,children:o}){return(0,c.jsxs)(c.Fragment,{children:[(0,c.jsxs)(`div`,{className:s.back,children:[(0,c.jsx)(n,{name:`back`,size:16}),e]}),(0,c.jsxs)(`div`,{className:s.head,children:[t,r]}),i&&(0,c.jsx)(`div`,{className:s.actions,children:i}),(0,c.jsxs)(`div`,{className:a?s.columns:s.main,children:[a&&(0,c.jsx)(`div`,{className:s.aside,children:a}),(0,c.jsx)(`div`,{className:s.main,children:o})]})]})}var u=2e3,d=3e4,f=o(`
  query Charge($id: ID!) {
    charge(id: $id) {
      id txid status underReview environment description amount originalAmount discountAmount feeAmount netAmount
      customerName customerEmail customerCpf customerPhone couponCode productId externalReference linkReference metadata
      successUrl cancelUrl expiresAt pixCode endToEndId paidAt paidLate createdAt checkoutUrl receiptUrl qrCodeUrl
      customer { id name }
      product { id name }
      subscription { id }
      paymentLink { id title }
    }
  }
`),p=e=>t({queryKey:[`charge`,e],queryFn:async({signal:t})=>a((await i(f,{id:e},{signal:t})).charge),refetchInterval:({state:e})=>e.data?.status===`pending`&&u}),m=o(`
  query ChargeTimeline($id: ID!, $resourceId: String!) {
    auditRecords(first: 50, filter: { resourceType: "charge", resourceId: $resourceId }, order: created_at_asc) {
      edges { node { id action actorName createdAt } }
    }
    events(first: 50, filter: { resourceId: $id }, order: created_at_asc) {
      edges { node { id type createdAt deliveries { id endpointId status finishedAt attempts { status durationMs } } } }
    }
  }
`),h=(e,n)=>t({queryKey:[`charge`,e,`timeline`,n],queryFn:({signal:t})=>r(m,{id:e,resourceId:e},{signal:t}),refetchInterval:({state:e})=>g(e.data)?u:!1});function g(e){let t=e?.data.events?.edges.map(e=>e.node)??[],n=Math.max(...t.map(e=>Date.parse(e.createdAt)),0);return t.some(e=>e.deliveries.some(e=>e.finishedAt===null))||Date.now()-n<d}var _={disclosure:`_disclosure_18ddt_1`,content:`_content_18ddt_7`};function v({label:e,open:t=!1,children:n}){return(0,c.jsxs)(`details`,{className:_.disclosure,open:t||void 0,children:[(0,c.jsx)(`summary`,{children:e}),(0,c.jsx)(`div`,{className:_.content,children:n})]})}export{l as i,p as n,h as r,v as t};