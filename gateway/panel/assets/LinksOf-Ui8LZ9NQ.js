import{t as e}from"./useQuery-DwweCm06.js";import{t}from"./link-Ds5uqn3o.js";import{c as n,u as r}from"./main-Dx5VnZho.js";import{t as i}from"./present-D_1kSWmV.js";import{t as a}from"./queries-DI6QXjMn.js";import{n as o}from"./words-BPNyrhnL.js";import{t as s}from"./TableCard-DZxBn9YJ.js";import{t as c}from"./columns-DW8jcqxA.js";import{a as l}from"./words-q_vcg4LI.js";import{r as u}from"./react-AyOTluXZ.js";var d=u(),f=r(`
  query PaymentLinksOf($filter: PaymentLinkFilter!) {
    paymentLinks(first: 5, filter: $filter, order: created_at_desc) {
      edges {
        node { id title amount active expiresAt maxUses usesCount unpayableReason product { name price } }
      }
    }
  }
`);function p({parent:r,id:u}){let p=a(),m={[r]:u},h=e({queryKey:[`links`,`of`,m],queryFn:async({signal:e})=>i((await n(f,{filter:m},{signal:e})).paymentLinks),enabled:p(`paymentLinks`)});return p(`paymentLinks`)?(0,d.jsx)(s,{title:l.title,all:(0,d.jsx)(t,{to:`/links`,search:m,children:o.seeAllMasculine}),pending:h.isPending,error:h.error,onRetry:h.refetch,empty:(0,d.jsxs)(`p`,{children:[l.empty,`.`]}),columns:c,rows:h.data?.edges.map(e=>e.node)??[]}):null}export{p as t};