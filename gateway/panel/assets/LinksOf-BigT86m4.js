import{t as e}from"./useQuery-D6l5FdRV.js";import{t}from"./link-Ds5uqn3o.js";import{r as n,t as r}from"./graphql-_m2Zo-_n.js";import{t as i}from"./present-DW0qiDls.js";import{t as a}from"./queries-mDr1dz_V.js";import{n as o}from"./words-xOtjye_d.js";import{t as s}from"./Card-BFNbv43G.js";import{t as c}from"./ErrorNotice-DZfuOlcF.js";import{t as l}from"./main-CowkV4CN.js";import{t as u}from"./Table-BysXTKx7.js";import{t as d}from"./columns-gFVDULTn.js";import{i as f}from"./words-DdkknfZ5.js";import{r as p}from"./react-AyOTluXZ.js";var m=p(),h=r(`
  query PaymentLinksOf($filter: PaymentLinkFilter!) {
    paymentLinks(first: 5, filter: $filter, order: created_at_desc) {
      edges {
        node { id title amount active expiresAt maxUses usesCount unpayableReason product { name price } }
      }
    }
  }
`);function g({parent:r,id:p}){let g=a(),_={[r]:p},v=e({queryKey:[`links`,`of`,_],queryFn:async({signal:e})=>i((await n(h,{filter:_},{signal:e})).paymentLinks),enabled:g(`paymentLinks`)});if(!g(`paymentLinks`))return null;let y=v.data?.edges.map(e=>e.node)??[];return(0,m.jsxs)(s,{title:f.title,actions:y.length>0&&(0,m.jsx)(t,{to:`/links`,search:_,children:o.seeAllMasculine}),children:[v.isPending&&(0,m.jsx)(l,{}),v.error&&(0,m.jsx)(c,{error:v.error,onRetry:v.refetch}),v.data&&y.length===0&&(0,m.jsxs)(`p`,{children:[f.empty,`.`]}),y.length>0&&(0,m.jsx)(u,{caption:f.title,columns:d,rows:y})]})}export{g as t};