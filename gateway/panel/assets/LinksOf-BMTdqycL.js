import{Et as e,h as t,k as n,t as r}from"./main-B5CH1OM2.js";import{g as i,n as a,t as o}from"./gql-CZjz-Uhh.js";import{t as s}from"./queries-CChtE3VT.js";import{t as c}from"./Card-DiKHYEh0.js";import{t as l}from"./ErrorNotice-DXW0wD07.js";import{t as u}from"./Table-BssqR6pC.js";import{r as d}from"./pt-BR-BHQIgAHB.js";import{t as f}from"./columns-Cy4dluHB.js";import{r as p}from"./react-AyOTluXZ.js";var m=p(),h=o(`
  query PaymentLinksOf($filter: PaymentLinkFilter!) {
    paymentLinks(first: 5, filter: $filter, order: created_at_desc) {
      edges {
        node { id title amount active expiresAt maxUses usesCount unpayableReason product { name price } }
      }
    }
  }
`);function g({parent:o,id:p}){let g=s(),_={[o]:p},v=e({queryKey:[`links`,`of`,_],queryFn:async({signal:e})=>t((await a(h,{filter:_},{signal:e})).paymentLinks),enabled:g(`paymentLinks`)});if(!g(`paymentLinks`))return null;let y=v.data?.edges.map(e=>e.node)??[];return(0,m.jsxs)(c,{title:n.title,actions:y.length>0&&(0,m.jsx)(i,{to:`/links`,search:_,children:d.list.seeAllMasculine}),children:[v.isPending&&(0,m.jsx)(r,{}),v.error&&(0,m.jsx)(l,{error:v.error,onRetry:v.refetch}),v.data&&y.length===0&&(0,m.jsxs)(`p`,{children:[n.empty,`.`]}),y.length>0&&(0,m.jsx)(u,{caption:n.title,columns:f,rows:y})]})}export{g as t};