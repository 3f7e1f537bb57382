import{r as e,t}from"./graphql-_m2Zo-_n.js";import{d as n,o as r}from"./main-C-oYntFE.js";import{n as i,r as a}from"./ListPage-CMQvye-T.js";import{t as o}from"./queries-_SQB2jpZ.js";import{t as s}from"./useListSearch-CPBOzUJY.js";import{n as c}from"./words-xOtjye_d.js";import{t as l}from"./LinkButton-DTFncre9.js";import{t as u}from"./options-1LbvaZw0.js";import{t as d}from"./columns-DxE1IyO6.js";import{i as f,n as p,r as m}from"./words-DdkknfZ5.js";import{r as h}from"./react-AyOTluXZ.js";var g=[{name:`createdFrom`,label:f.createdFrom,kind:`date`},{name:`createdTo`,label:f.createdTo,kind:`date`},{name:`externalReference`,label:f.reference,kind:`text`},{name:`productId`,label:f.ofProduct,kind:`parent`},{name:`couponId`,label:f.ofCoupon,kind:`parent`}],_=h(),v=t(`
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
`),y=t(`
  mutation ExportPaymentLinks($filter: PaymentLinkFilter, $order: PaymentLinkOrder!, $format: ExportFormat!) {
    exportPaymentLinks(filter: $filter, order: $order, format: $format) { url }
  }
`);function b(){let t=o(),[h,b]=s(),x=h.order??`created_at_desc`,S={filter:n(h,g),order:x},C=a([`links`,h],async(t,n)=>{let i={first:25,after:t,...S};return r((await e(v,i,{signal:n})).paymentLinks)});return(0,_.jsx)(i,{title:f.title,action:t(`createPaymentLink`)&&(0,_.jsx)(l,{to:`/links/novo`,children:f.newLink}),search:h,onSearch:b,tabs:{name:`status`,label:f.status,all:c.allMasculine,options:u(m)},filters:g,placeholder:f.search,orders:u(p),list:C,columns:d,onExport:t(`exportPaymentLinks`)&&(async t=>r((await e(y,{...S,format:t})).exportPaymentLinks)),empty:{title:f.empty,children:(0,_.jsx)(`p`,{children:f.emptyLead})}})}export{b as LinksPage};