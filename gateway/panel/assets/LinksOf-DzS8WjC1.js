import{t as e}from"./useQuery-BTjMmLwn.js";import{t}from"./link-Ds5uqn3o.js";import{a as n,r}from"./request-BDklpEWz.js";import{t as i}from"./present-BV8kdj-c.js";import{t as a}from"./queries-CvRgJqUw.js";import{n as o}from"./words-DER5xrXL.js";import{t as s}from"./Card-BFNbv43G.js";import{t as c}from"./ErrorNotice-Coh5Q3z-.js";import{t as l}from"./main-BRoMdCQo.js";import{t as u}from"./Table-BysXTKx7.js";import{t as d}from"./columns-5bTMmHkV.js";import{a as f}from"./words-q_vcg4LI.js";import{r as p}from"./react-AyOTluXZ.js";var m=p(),h=n(`
  query PaymentLinksOf($filter: PaymentLinkFilter!) {
    paymentLinks(first: 5, filter: $filter, order: created_at_desc) {
      edges {
        node { id title amount active expiresAt maxUses usesCount unpayableReason product { name price } }
      }
    }
  }
`);function g({parent:n,id:p}){let g=a(),_={[n]:p},v=e({queryKey:[`links`,`of`,_],queryFn:async({signal:e})=>i((await r(h,{filter:_},{signal:e})).paymentLinks),enabled:g(`paymentLinks`)});if(!g(`paymentLinks`))return null;let y=v.data?.edges.map(e=>e.node)??[];return(0,m.jsxs)(s,{title:f.title,actions:y.length>0&&(0,m.jsx)(t,{to:`/links`,search:_,children:o.seeAllMasculine}),children:[v.isPending&&(0,m.jsx)(l,{}),v.error&&(0,m.jsx)(c,{error:v.error,onRetry:v.refetch}),v.data&&y.length===0&&(0,m.jsxs)(`p`,{children:[f.empty,`.`]}),y.length>0&&(0,m.jsx)(u,{caption:f.title,columns:d,rows:y})]})}export{g as t};