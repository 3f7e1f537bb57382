import{g as e,n as t,t as n}from"./gql-CZjz-Uhh.js";import{bt as r,c as i,g as a,h as o,v as s,y as c}from"./main-B5CH1OM2.js";import{i as l,r as u,t as d}from"./useListSearch-CnSxP2GZ.js";import{t as f}from"./ServiceNav-Cq0yD8Yf.js";import{t as p}from"./ProductionStatusLabel-DPb_Udg2.js";import{t as m}from"./Time-BQXZx8sM.js";import{n as h}from"./pt-BR-BHQIgAHB.js";import{r as g}from"./react-AyOTluXZ.js";var _=g(),v=n(`
  query Merchants($first: Int, $after: String, $filter: MerchantFilter, $order: MerchantOrder!) {
    merchants(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id name email company productionStatus productionRequestedAt } }
    }
  }
`),y=[{label:c.store,cell:t=>(0,_.jsx)(e,{to:`/servico/lojistas/$id`,params:{id:t.id},children:t.company??t.name})},{label:c.status,cell:e=>(0,_.jsx)(p,{status:e.productionStatus})},{label:c.person,cell:e=>e.name},{label:c.requested,cell:e=>e.productionRequestedAt&&(0,_.jsx)(m,{value:e.productionRequestedAt})}];function b(){let[e,n]=d(),p=l([`merchants`,e],async(n,i)=>{let s=e.order??`queue`,c={first:25,after:n,filter:r(e,a),order:s};return o((await t(v,c,{signal:i})).merchants)});return(0,_.jsxs)(_.Fragment,{children:[(0,_.jsx)(f,{}),(0,_.jsx)(u,{title:c.title,search:e,onSearch:n,tabs:{name:`status`,label:c.status,options:i(h)},filters:a,placeholder:c.search,orders:i(s),list:p,columns:y,empty:{title:c.empty}})]})}export{b as MerchantsPage};