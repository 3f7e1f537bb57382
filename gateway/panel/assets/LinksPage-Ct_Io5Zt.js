import{r as e,t}from"./graphql-_m2Zo-_n.js";import{t as n}from"./present-DW0qiDls.js";import{n as r,r as i}from"./ListPage-BiCtHRZ7.js";import{t as a}from"./queries-mDr1dz_V.js";import{a as o,t as s}from"./useListSearch-DoeM6H5_.js";import{n as c}from"./words-xOtjye_d.js";import{t as l}from"./LinkButton-wyeUWMRu.js";import{t as u}from"./options-1LbvaZw0.js";import{t as d}from"./columns-gFVDULTn.js";import{i as f,n as p,r as m}from"./words-DdkknfZ5.js";import{r as h}from"./react-AyOTluXZ.js";var g=[{name:`createdFrom`,label:f.createdFrom,kind:`date`},{name:`createdTo`,label:f.createdTo,kind:`date`},{name:`externalReference`,label:f.reference,kind:`text`},{name:`productId`,label:f.ofProduct,kind:`parent`},{name:`couponId`,label:f.ofCoupon,kind:`parent`}],_=h(),v=t(`
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
`);function b(){let t=a(),[h,b]=s(),x=h.order??`created_at_desc`,S={filter:o(h,g),order:x},C=i([`links`,h],async(t,r)=>{let i={first:25,after:t,...S};return n((await e(v,i,{signal:r})).paymentLinks)});return(0,_.jsx)(r,{title:f.title,action:t(`createPaymentLink`)&&(0,_.jsx)(l,{to:`/links/novo`,children:f.newLink}),search:h,onSearch:b,tabs:{name:`status`,label:f.status,all:c.allMasculine,options:u(m)},filters:g,placeholder:f.search,orders:u(p),list:C,columns:d,onExport:t(`exportPaymentLinks`)&&(async t=>n((await e(y,{...S,format:t})).exportPaymentLinks)),empty:{title:f.empty,children:(0,_.jsx)(`p`,{children:f.emptyLead})}})}export{b as LinksPage};