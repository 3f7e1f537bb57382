import{a as e,r as t}from"./request-CmBGbJcL.js";import{t as n}from"./present-8JMv9I8t.js";import{n as r,r as i}from"./ListPage-BqS5ld77.js";import{t as a}from"./queries-BNDFhgW_.js";import{o,s,t as c}from"./useListSearch-DRQNLIdH.js";import{t as l}from"./LinkButton-lire7Zzb.js";import{t as u}from"./options-1LbvaZw0.js";import{t as d}from"./columns-CIoMegz6.js";import{a as f,i as p,n as m,r as h}from"./words-enZllZx8.js";import{r as g}from"./react-AyOTluXZ.js";var _=[{name:`createdFrom`,label:f.createdFrom,kind:`date`},{name:`createdTo`,label:f.createdTo,kind:`date`},{name:`paidFrom`,label:f.paidFrom,kind:`date`},{name:`paidTo`,label:f.paidTo,kind:`date`},{name:`amountMin`,label:f.amountMin,kind:`money`},{name:`amountMax`,label:f.amountMax,kind:`money`},{name:`externalReference`,label:f.reference,kind:`text`},{name:`paidLate`,label:f.onlyPaidLate,kind:`flag`},{name:`customerId`,label:f.ofCustomer,kind:`parent`},{name:`productId`,label:f.ofProduct,kind:`parent`},{name:`couponId`,label:f.ofCoupon,kind:`parent`},{name:`subscriptionId`,label:f.ofSubscription,kind:`parent`},{name:`paymentLinkId`,label:f.ofLink,kind:`parent`}],v=g(),y=e(`
  query Charges($first: Int, $after: String, $filter: ChargeFilter, $order: ChargeOrder!) {
    charges(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id status underReview amount refundedAmount description customerName createdAt } }
    }
  }
`),b=e(`
  mutation ExportCharges($filter: ChargeFilter, $order: ChargeOrder!, $format: ExportFormat!, $columns: [ChargeColumn!]) {
    exportCharges(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`),x={tabs:{name:`status`,label:f.status,options:u(p)},filters:_,placeholder:f.search,orders:u(h)};function S(){let e=a(),[u,p]=c(x),h=u.order??`created_at_desc`,g={filter:o(u,_),order:h},S=i([`charges`,u],async(e,r)=>{let i={first:25,after:e,...g};return n((await t(y,i,{signal:r})).charges)}),C=e(`issueCharge`)&&(0,v.jsx)(l,{to:`/cobrancas/nova`,children:f.newCharge});return(0,v.jsx)(r,{title:f.title,action:C,search:u,onSearch:p,...x,list:S,columns:d,file:e(`exportCharges`)&&s(m,async e=>n((await t(b,{...g,...e})).exportCharges)),empty:{title:f.empty,children:(0,v.jsx)(`p`,{children:f.emptyLead})}})}export{S as ChargesPage};