import{c as e,u as t}from"./main-Dx5VnZho.js";import{t as n}from"./present-D_1kSWmV.js";import{n as r,r as i}from"./ListPage-C07TwWMy.js";import{t as a}from"./queries-DI6QXjMn.js";import{o,s,t as c}from"./useListSearch-OGLVh2KM.js";import{n as l}from"./words-BPNyrhnL.js";import{t as u}from"./LinkButton-Cxv3J9bH.js";import{t as d}from"./options-1LbvaZw0.js";import{t as f}from"./columns-DW8jcqxA.js";import{a as p,i as m,n as h,r as g}from"./words-q_vcg4LI.js";import{r as _}from"./react-AyOTluXZ.js";var v=[{name:`createdFrom`,label:p.createdFrom,kind:`date`},{name:`createdTo`,label:p.createdTo,kind:`date`},{name:`externalReference`,label:p.reference,kind:`text`},{name:`productId`,label:p.ofProduct,kind:`parent`},{name:`couponId`,label:p.ofCoupon,kind:`parent`}],y=_(),b=t(`
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
`),x=t(`
  mutation ExportPaymentLinks($filter: PaymentLinkFilter, $order: PaymentLinkOrder!, $format: ExportFormat!, $columns: [PaymentLinkColumn!]) {
    exportPaymentLinks(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`),S={tabs:{name:`status`,label:p.status,all:l.allMasculine,options:d(m)},filters:v,placeholder:p.search,orders:d(g)};function C(){let t=a(),[l,d]=c(S),m=l.order??`created_at_desc`,g={filter:o(l,v),order:m},_=i([`links`,l],async(t,r)=>{let i={first:25,after:t,...g};return n((await e(b,i,{signal:r})).paymentLinks)});return(0,y.jsx)(r,{title:p.title,action:t(`createPaymentLink`)&&(0,y.jsx)(u,{to:`/links/novo`,children:p.newLink}),search:l,onSearch:d,...S,list:_,columns:f,file:t(`exportPaymentLinks`)&&s(h,async t=>n((await e(x,{...g,...t})).exportPaymentLinks)),empty:{title:p.empty,lead:p.emptyLead,docs:`grupo-links-de-pagamento`}})}export{C as LinksPage};