import{c as e,u as t}from"./main-Dx5VnZho.js";import{t as n}from"./present-D_1kSWmV.js";import{n as r,r as i}from"./ListPage-C07TwWMy.js";import{t as a}from"./queries-DI6QXjMn.js";import{o,s,t as c}from"./useListSearch-OGLVh2KM.js";import{t as l}from"./LinkButton-Cxv3J9bH.js";import{t as u}from"./options-1LbvaZw0.js";import{t as d}from"./columns-C51J75Hb.js";import{a as f}from"./queries-Bs96uDV4.js";import{i as p}from"./queries-DUkWqLcx.js";import{r as m}from"./queries-CmKr5FeR.js";import{a as h}from"./queries-Bb0AkwDu.js";import{r as g}from"./queries-Bj5SyksG.js";import{a as _,i as v,o as y,r as b}from"./words-C73GsgdU.js";import{r as x}from"./react-AyOTluXZ.js";var S=[{name:`createdFrom`,label:y.createdFrom,kind:`date`},{name:`createdTo`,label:y.createdTo,kind:`date`},{name:`paidFrom`,label:y.paidFrom,kind:`date`},{name:`paidTo`,label:y.paidTo,kind:`date`},{name:`amountMin`,label:y.amountMin,kind:`money`},{name:`amountMax`,label:y.amountMax,kind:`money`},{name:`externalReference`,label:y.reference,kind:`text`},{name:`paidLate`,label:y.onlyPaidLate,kind:`flag`},{name:`customerId`,label:y.customer,kind:`parent`,source:p},{name:`productId`,label:y.product,kind:`parent`,source:h},{name:`couponId`,label:y.coupon,kind:`parent`,source:f},{name:`subscriptionId`,label:y.subscription,kind:`parent`,source:g},{name:`paymentLinkId`,label:y.link,kind:`parent`,source:m}],C=x(),w=t(`
  query Charges($first: Int, $after: String, $filter: ChargeFilter, $order: ChargeOrder!) {
    charges(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      totalAmount
      pageInfo { endCursor hasNextPage }
      edges { node { id status underReview amount refundedAmount description customerName createdAt } }
    }
  }
`),T=t(`
  mutation ExportCharges($filter: ChargeFilter, $order: ChargeOrder!, $format: ExportFormat!, $columns: [ChargeColumn!]) {
    exportCharges(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`),E={tabs:{name:`status`,label:y.status,options:u(_)},filters:S,placeholder:y.search,orders:u(v)};function D(){let t=a(),[u,f]=c(E),p=u.order??`created_at_desc`,m={filter:o(u,S),order:p},h=i([`charges`,u],async(t,r)=>{let i={first:25,after:t,...m};return n((await e(w,i,{signal:r})).charges)}),g=t(`issueCharge`)&&(0,C.jsx)(l,{to:`/cobrancas/nova`,children:y.newCharge});return(0,C.jsx)(r,{title:y.title,action:g,search:u,onSearch:f,...E,list:h,columns:d,file:t(`exportCharges`)&&s(b,async t=>n((await e(T,{...m,...t})).exportCharges)),empty:{title:y.empty,lead:y.emptyLead,docs:`grupo-cobranças-pix`}})}export{D as ChargesPage};