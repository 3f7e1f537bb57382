import{b as e,t,u as n}from"./main-BdWzo1GK.js";import{g as r,n as i,t as a}from"./graphql-BeLqpmMW.js";import{t as o}from"./queries-BgfyNLLV.js";import{t as s}from"./words-Bviifael.js";import{t as c}from"./Card-DiKHYEh0.js";import{t as l}from"./ErrorNotice-Bw3_AMs5.js";import{t as u}from"./Table-BssqR6pC.js";import{t as d}from"./columns-FyC3_T79.js";import{i as f}from"./words-BjAIRjLb.js";import{r as p}from"./react-AyOTluXZ.js";var m=p(),h=a(`
  query PaymentLinksOf($filter: PaymentLinkFilter!) {
    paymentLinks(first: 5, filter: $filter, order: created_at_desc) {
      edges {
        node { id title amount active expiresAt maxUses usesCount unpayableReason product { name price } }
      }
    }
  }
`);function g({parent:a,id:p}){let g=o(),_={[a]:p},v=e({queryKey:[`links`,`of`,_],queryFn:async({signal:e})=>n((await i(h,{filter:_},{signal:e})).paymentLinks),enabled:g(`paymentLinks`)});if(!g(`paymentLinks`))return null;let y=v.data?.edges.map(e=>e.node)??[];return(0,m.jsxs)(c,{title:f.title,actions:y.length>0&&(0,m.jsx)(r,{to:`/links`,search:_,children:s.seeAllMasculine}),children:[v.isPending&&(0,m.jsx)(t,{}),v.error&&(0,m.jsx)(l,{error:v.error,onRetry:v.refetch}),v.data&&y.length===0&&(0,m.jsxs)(`p`,{children:[f.empty,`.`]}),y.length>0&&(0,m.jsx)(u,{caption:f.title,columns:d,rows:y})]})}export{g as t};