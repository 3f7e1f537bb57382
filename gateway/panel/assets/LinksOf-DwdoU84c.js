import{t as e}from"./useQuery-CZ8aTy9m.js";import{t}from"./link-Ds5uqn3o.js";import{a as n,r}from"./request-QLMvDYM1.js";import{t as i}from"./present-C6ZMvN9P.js";import{t as a}from"./queries-WGPw6u_F.js";import{n as o}from"./words-DER5xrXL.js";import{t as s}from"./TableCard-D_w0itP5.js";import{t as c}from"./columns-B46cmHt5.js";import{a as l}from"./words-q_vcg4LI.js";import{r as u}from"./react-AyOTluXZ.js";var d=u(),f=n(`
  query PaymentLinksOf($filter: PaymentLinkFilter!) {
    paymentLinks(first: 5, filter: $filter, order: created_at_desc) {
      edges {
        node { id title amount active expiresAt maxUses usesCount unpayableReason product { name price } }
      }
    }
  }
`);function p({parent:n,id:u}){let p=a(),m={[n]:u},h=e({queryKey:[`links`,`of`,m],queryFn:async({signal:e})=>i((await r(f,{filter:m},{signal:e})).paymentLinks),enabled:p(`paymentLinks`)});return p(`paymentLinks`)?(0,d.jsx)(s,{title:l.title,all:(0,d.jsx)(t,{to:`/links`,search:m,children:o.seeAllMasculine}),pending:h.isPending,error:h.error,onRetry:h.refetch,empty:(0,d.jsxs)(`p`,{children:[l.empty,`.`]}),columns:c,rows:h.data?.edges.map(e=>e.node)??[]}):null}export{p as t};