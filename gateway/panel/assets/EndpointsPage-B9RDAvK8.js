import{t as e}from"./link-Ds5uqn3o.js";import{a as t,r as n}from"./request-BUwCbifv.js";import{t as r}from"./present-CTrV3vlx.js";import{n as i,r as a}from"./ListPage-0NiiuJRx.js";import{t as o}from"./queries-5g1-FtWN.js";import{o as s,t as c}from"./useListSearch-DwlcFdfb.js";import{t as l}from"./LinkButton-D7LjJQAN.js";import{t as u}from"./options-1LbvaZw0.js";import{t as d}from"./EndpointAddress-KLWsTKqP.js";import{n as f,t as p}from"./EndpointStatus-fcL_O9qg.js";import{o as m,r as h,s as g}from"./words-LYr1RpB2.js";import{r as _}from"./react-AyOTluXZ.js";var v=_(),y=t(`
  query WebhookEndpoints($first: Int, $after: String, $filter: WebhookEndpointFilter, $order: ByCreation!) {
    webhookEndpoints(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges {
        node {
          id name url active disabledReason
          health { lastSuccessAt lastAttemptAt firstFailureAt consecutiveFailures }
        }
      }
    }
  }
`),b=[{name:`createdFrom`,label:g.createdFrom,kind:`date`},{name:`createdTo`,label:g.createdTo,kind:`date`}],x=[{label:g.name,cell:t=>(0,v.jsx)(e,{to:`/dev/webhooks/$id`,params:{id:t.id},search:{},children:t.name})},{label:g.status,cell:e=>(0,v.jsx)(p,{...e})},{label:g.url,cell:e=>(0,v.jsx)(d,{...e})},{label:g.health,cell:e=>(0,v.jsx)(f,{health:e.health})}],S={tabs:{name:`status`,label:g.status,all:g.all,options:u(m)},filters:b,placeholder:g.search,orders:u(h)};function C(){let e=o(),[t,u]=c(S),d=a([`webhooks`,`all`,t],async(e,i)=>{let a=t.order??`created_at_desc`,o={first:25,after:e,filter:s(t,b),order:a};return r((await n(y,o,{signal:i})).webhookEndpoints)});return(0,v.jsx)(i,{title:g.title,action:e(`createWebhookEndpoint`)&&(0,v.jsx)(l,{to:`/dev/webhooks/novo`,children:g.newEndpoint}),search:t,onSearch:u,...S,list:d,columns:x,empty:{title:g.empty,children:(0,v.jsx)(`p`,{children:g.emptyLead})}})}export{C as EndpointsPage};