import{n as e}from"./rolldown-runtime-WkwZ5CU-.js";import{i as t,r as n}from"./react-AyOTluXZ.js";import{t as r}from"./queryOptions-BewihW8w.js";import{n as i,r as a,t as o}from"./present-Dfo5y7jP.js";import{t as s}from"./icons-DbVXErGK.js";var c={back:`_back_1vc8h_1`,head:`_head_1vc8h_13`,actions:`_actions_1vc8h_14`,columns:`_columns_1vc8h_21`,aside:`_aside_1vc8h_27`,main:`_main_1vc8h_28`},l=n();function u({back:e,heading:t,status:n,actions:r,aside:i,children:a}){return(0,l.jsxs)(l.Fragment,{children:[(0,l.jsxs)(`div`,{className:c.back,children:[(0,l.jsx)(s,{name:`back`,size:16}),e]}),(0,l.jsxs)(`div`,{className:c.head,children:[t,n]}),r&&(0,l.jsx)(`div`,{className:c.actions,children:r}),(0,l.jsxs)(`div`,{className:i?c.columns:c.main,children:[i&&(0,l.jsx)(`div`,{className:c.aside,children:i}),(0,l.jsx)(`div`,{className:c.main,children:a})]})]})}var d=2e3,f=i(`
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
`),p=e=>r({queryKey:[`charge`,e],queryFn:async({signal:t})=>o((await a(f,{id:e},{signal:t})).charge),refetchInterval:({state:e})=>e.data?.status===`pending`&&d}),m=i(`
  query ChargeTimeline($id: String!) {
    auditRecords(first: 50, filter: { resourceType: "charge", resourceId: $id }, order: created_at_asc) {
      edges { node { id action actorName createdAt } }
    }
  }
`),h=(e,t)=>r({queryKey:[`charge`,e,`timeline`,t],queryFn:async({signal:t})=>{let{auditRecords:n}=await a(m,{id:e},{signal:t});return o(n).edges.map(e=>e.node)}}),g=e(t(),1);function _(){let[e]=(0,g.useState)(()=>new Map);return t=>{let n=JSON.stringify(t),r=e.get(n)??v();return e.set(n,r),r}}function v(){return Array.from(crypto.getRandomValues(new Uint8Array(16)),e=>e.toString(16).padStart(2,`0`)).join(``)}var y={disclosure:`_disclosure_18ddt_1`,content:`_content_18ddt_7`};function b({label:e,open:t=!1,children:n}){return(0,l.jsxs)(`details`,{className:y.disclosure,open:t||void 0,children:[(0,l.jsx)(`summary`,{children:e}),(0,l.jsx)(`div`,{className:y.content,children:n})]})}export{u as a,h as i,_ as n,p as r,b as t};