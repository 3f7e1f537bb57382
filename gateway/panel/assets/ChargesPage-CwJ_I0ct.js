import{a as e,r as t}from"./request-CmBGbJcL.js";import{t as n}from"./present-lGORn0O1.js";import{n as r,r as i}from"./ListPage-10yrSQOp.js";import{t as a}from"./queries-BxhiX8HR.js";import{o,t as s}from"./useListSearch-DbyWkPU4.js";import{t as c}from"./LinkButton-BnkiAJg5.js";import{t as l}from"./options-1LbvaZw0.js";import{t as u}from"./columns-BzloQQLd.js";import{i as d,n as f,r as p}from"./words-BFo6WhsP.js";import{r as m}from"./react-AyOTluXZ.js";var h=[{name:`createdFrom`,label:d.createdFrom,kind:`date`},{name:`createdTo`,label:d.createdTo,kind:`date`},{name:`paidFrom`,label:d.paidFrom,kind:`date`},{name:`paidTo`,label:d.paidTo,kind:`date`},{name:`amountMin`,label:d.amountMin,kind:`money`},{name:`amountMax`,label:d.amountMax,kind:`money`},{name:`externalReference`,label:d.reference,kind:`text`},{name:`paidLate`,label:d.onlyPaidLate,kind:`flag`},{name:`customerId`,label:d.ofCustomer,kind:`parent`},{name:`productId`,label:d.ofProduct,kind:`parent`},{name:`couponId`,label:d.ofCoupon,kind:`parent`},{name:`subscriptionId`,label:d.ofSubscription,kind:`parent`},{name:`paymentLinkId`,label:d.ofLink,kind:`parent`}],g=m(),_=e(`
  query Charges($first: Int, $after: String, $filter: ChargeFilter, $order: ChargeOrder!) {
    charges(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id status underReview amount refundedAmount description customerName createdAt } }
    }
  }
`),v=e(`
  mutation ExportCharges($filter: ChargeFilter, $order: ChargeOrder!, $format: ExportFormat!) {
    exportCharges(filter: $filter, order: $order, format: $format) { url }
  }
`),y={tabs:{name:`status`,label:d.status,options:l(p)},filters:h,placeholder:d.search,orders:l(f)};function b(){let e=a(),[l,f]=s(y),p=l.order??`created_at_desc`,m={filter:o(l,h),order:p},b=i([`charges`,l],async(e,r)=>{let i={first:25,after:e,...m};return n((await t(_,i,{signal:r})).charges)}),x=e(`issueCharge`)&&(0,g.jsx)(c,{to:`/cobrancas/nova`,children:d.newCharge});return(0,g.jsx)(r,{title:d.title,action:x,search:l,onSearch:f,...y,list:b,columns:u,onExport:e(`exportCharges`)&&(async e=>n((await t(v,{...m,format:e})).exportCharges)),empty:{title:d.empty,children:(0,g.jsx)(`p`,{children:d.emptyLead})}})}export{b as ChargesPage};