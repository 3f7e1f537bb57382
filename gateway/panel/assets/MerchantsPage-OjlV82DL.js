import{t as e}from"./link-Ds5uqn3o.js";import{r as t,t as n}from"./graphql-_m2Zo-_n.js";import{d as r,o as i}from"./main-C-oYntFE.js";import{n as a,r as o}from"./ListPage-CMQvye-T.js";import{t as s}from"./useListSearch-CPBOzUJY.js";import{t as c}from"./ServiceNav-CNYNt2vu.js";import{t as l}from"./options-1LbvaZw0.js";import{t as u}from"./ProductionStatusLabel-BkA9G1q4.js";import{t as d}from"./Time-C7HI0Ii1.js";import{n as f}from"./pt-BR-BwcSKPuT.js";import{n as p,r as m}from"./words-Bl5UYADx.js";import{r as h}from"./react-AyOTluXZ.js";var g=[{name:`createdFrom`,label:m.createdFrom,kind:`date`},{name:`createdTo`,label:m.createdTo,kind:`date`}],_=h(),v=n(`
  query Merchants($first: Int, $after: String, $filter: MerchantFilter, $order: MerchantOrder!) {
    merchants(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id name email company productionStatus productionRequestedAt } }
    }
  }
`),y=[{label:m.store,cell:t=>(0,_.jsx)(e,{to:`/servico/lojistas/$id`,params:{id:t.id},children:t.company??t.name})},{label:m.status,cell:e=>(0,_.jsx)(u,{status:e.productionStatus})},{label:m.person,cell:e=>e.name},{label:m.requested,cell:e=>e.productionRequestedAt&&(0,_.jsx)(d,{value:e.productionRequestedAt})}];function b(){let[e,n]=s(),u=o([`merchants`,e],async(n,a)=>{let o=e.order??`queue`,s={first:25,after:n,filter:r(e,g),order:o};return i((await t(v,s,{signal:a})).merchants)});return(0,_.jsxs)(_.Fragment,{children:[(0,_.jsx)(c,{}),(0,_.jsx)(a,{title:m.title,search:e,onSearch:n,tabs:{name:`status`,label:m.status,options:l(f)},filters:g,placeholder:m.search,orders:l(p),list:u,columns:y,empty:{title:m.empty}})]})}export{b as MerchantsPage};