import{a as e,r as t}from"./request-CmBGbJcL.js";import{t as n}from"./present-lGORn0O1.js";import{n as r,r as i}from"./ListPage-_2EkWFOJ.js";import{t as a}from"./queries-cOu0VojD.js";import{o,t as s}from"./useListSearch-BQL78oSe.js";import{n as c}from"./words-xOtjye_d.js";import{t as l}from"./LinkButton-BnkiAJg5.js";import{t as u}from"./options-1LbvaZw0.js";import{t as d}from"./columns-C_Pc1eDd.js";import{i as f,n as p,r as m}from"./words-BYGo-U0w.js";import{r as h}from"./react-AyOTluXZ.js";var g=[{name:`createdFrom`,label:f.createdFrom,kind:`date`},{name:`createdTo`,label:f.createdTo,kind:`date`},{name:`externalReference`,label:f.reference,kind:`text`},{name:`productId`,label:f.ofProduct,kind:`parent`},{name:`couponId`,label:f.ofCoupon,kind:`parent`}],_=h(),v=e(`
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
`);function b(){let e=a(),[h,b]=s(),x=h.order??`created_at_desc`,S={filter:o(h,g),order:x},C=i([`links`,h],async(e,r)=>{let i={first:25,after:e,...S};return n((await t(v,i,{signal:r})).paymentLinks)});return(0,_.jsx)(r,{title:f.title,action:e(`createPaymentLink`)&&(0,_.jsx)(l,{to:`/links/novo`,children:f.newLink}),search:h,onSearch:b,tabs:{name:`status`,label:f.status,all:c.allMasculine,options:u(m)},filters:g,placeholder:f.search,orders:u(p),list:C,columns:d,onExport:e(`exportPaymentLinks`)&&(async e=>n((await t(y,{...S,format:e})).exportPaymentLinks)),empty:{title:f.empty,children:(0,_.jsx)(`p`,{children:f.emptyLead})}})}export{b as LinksPage};