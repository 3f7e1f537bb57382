import{a as e,r as t}from"./request-CmBGbJcL.js";import{t as n}from"./present-lGORn0O1.js";import{n as r,r as i}from"./ListPage-10yrSQOp.js";import{t as a}from"./queries-BxhiX8HR.js";import{o,t as s}from"./useListSearch-DbyWkPU4.js";import{n as c}from"./words-xOtjye_d.js";import{t as l}from"./LinkButton-BnkiAJg5.js";import{t as u}from"./options-1LbvaZw0.js";import{t as d}from"./columns-BFYqeTlg.js";import{i as f,n as p,r as m}from"./words-BYGo-U0w.js";import{r as h}from"./react-AyOTluXZ.js";var g=[{name:`createdFrom`,label:f.createdFrom,kind:`date`},{name:`createdTo`,label:f.createdTo,kind:`date`},{name:`externalReference`,label:f.reference,kind:`text`},{name:`productId`,label:f.ofProduct,kind:`parent`},{name:`couponId`,label:f.ofCoupon,kind:`parent`}],_=h(),v=e(`
  query PaymentLinks($first: Int, $after: String, $filter: PaymentLinkFilter, $order: PaymentLinkOrder!) {
    paymentLinks(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges {
        node { id title amount active expiresAt maxUses usesCount unpayableReason product { name price } }
      }
    }
  }
`),y=e(`
  mutation ExportPaymentLinks($filter: PaymentLinkFilter, $order: PaymentLinkOrder!, $format: ExportFormat!) {
    exportPaymentLinks(filter: $filter, order: $order, format: $format) { url }
  }
`),b={tabs:{name:`status`,label:f.status,all:c.allMasculine,options:u(m)},filters:g,placeholder:f.search,orders:u(p)};function x(){let e=a(),[c,u]=s(b),p=c.order??`created_at_desc`,m={filter:o(c,g),order:p},h=i([`links`,c],async(e,r)=>{let i={first:25,after:e,...m};return n((await t(v,i,{signal:r})).paymentLinks)});return(0,_.jsx)(r,{title:f.title,action:e(`createPaymentLink`)&&(0,_.jsx)(l,{to:`/links/novo`,children:f.newLink}),search:c,onSearch:u,...b,list:h,columns:d,onExport:e(`exportPaymentLinks`)&&(async e=>n((await t(y,{...m,format:e})).exportPaymentLinks)),empty:{title:f.empty,children:(0,_.jsx)(`p`,{children:f.emptyLead})}})}export{x as LinksPage};