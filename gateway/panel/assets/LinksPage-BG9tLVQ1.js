import{r as e,t}from"./graphql-_m2Zo-_n.js";import{d as n,o as r}from"./main-DCDhcY0C.js";import{n as i,r as a}from"./ListPage-sFWL6iYV.js";import{t as o}from"./queries-Dxe-A9Qa.js";import{t as s}from"./useListSearch-ChwcvBjU.js";import{t as c}from"./words-Bviifael.js";import{t as l}from"./LinkButton-DTFncre9.js";import{t as u}from"./options-1LbvaZw0.js";import{t as d}from"./columns-DCR7lOg0.js";import{i as f,n as p,r as m}from"./words-DdkknfZ5.js";import{r as h}from"./react-AyOTluXZ.js";var g=[{name:`createdFrom`,label:f.createdFrom,kind:`date`},{name:`createdTo`,label:f.createdTo,kind:`date`},{name:`externalReference`,label:f.reference,kind:`text`},{name:`productId`,label:f.ofProduct,kind:`parent`},{name:`couponId`,label:f.ofCoupon,kind:`parent`}],_=h(),v=t(`
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
`);function y(){let t=o(),[h,y]=s(),b=a([`links`,h],async(t,i)=>{let a=h.order??`created_at_desc`,o={first:25,after:t,filter:n(h,g),order:a};return r((await e(v,o,{signal:i})).paymentLinks)});return(0,_.jsx)(i,{title:f.title,action:t(`createPaymentLink`)&&(0,_.jsx)(l,{to:`/links/novo`,children:f.newLink}),search:h,onSearch:y,tabs:{name:`status`,label:f.status,all:c.allMasculine,options:u(m)},filters:g,placeholder:f.search,orders:u(p),list:b,columns:d,empty:{title:f.empty,children:(0,_.jsx)(`p`,{children:f.emptyLead})}})}export{y as LinksPage};