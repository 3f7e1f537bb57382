import{a as e,r as t}from"./request-QLMvDYM1.js";import{t as n}from"./present-C6ZMvN9P.js";import{n as r,r as i}from"./ListPage-CgvqEJ81.js";import{t as a}from"./queries-WGPw6u_F.js";import{o,s,t as c}from"./useListSearch-DEXvDj6z.js";import{n as l}from"./words-DER5xrXL.js";import{t as u}from"./LinkButton-XNUFhUSn.js";import{t as d}from"./options-1LbvaZw0.js";import{t as f}from"./columns-B46cmHt5.js";import{a as p,i as m,n as h,r as g}from"./words-q_vcg4LI.js";import{r as _}from"./react-AyOTluXZ.js";var v=[{name:`createdFrom`,label:p.createdFrom,kind:`date`},{name:`createdTo`,label:p.createdTo,kind:`date`},{name:`externalReference`,label:p.reference,kind:`text`},{name:`productId`,label:p.ofProduct,kind:`parent`},{name:`couponId`,label:p.ofCoupon,kind:`parent`}],y=_(),b=e(`
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
`),x=e(`
  mutation ExportPaymentLinks($filter: PaymentLinkFilter, $order: PaymentLinkOrder!, $format: ExportFormat!, $columns: [PaymentLinkColumn!]) {
    exportPaymentLinks(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`),S={tabs:{name:`status`,label:p.status,all:l.allMasculine,options:d(m)},filters:v,placeholder:p.search,orders:d(g)};function C(){let e=a(),[l,d]=c(S),m=l.order??`created_at_desc`,g={filter:o(l,v),order:m},_=i([`links`,l],async(e,r)=>{let i={first:25,after:e,...g};return n((await t(b,i,{signal:r})).paymentLinks)});return(0,y.jsx)(r,{title:p.title,action:e(`createPaymentLink`)&&(0,y.jsx)(u,{to:`/links/novo`,children:p.newLink}),search:l,onSearch:d,...S,list:_,columns:f,file:e(`exportPaymentLinks`)&&s(h,async e=>n((await t(x,{...g,...e})).exportPaymentLinks)),empty:{title:p.empty,lead:p.emptyLead,docs:`grupo-links-de-pagamento`}})}export{C as LinksPage};