import{n as e,t}from"./graphql-BeLqpmMW.js";import{p as n,u as r}from"./main-BdWzo1GK.js";import{i,r as a,t as o}from"./useListSearch-SAeUd6Rm.js";import{t as s}from"./queries-BgfyNLLV.js";import{t as c}from"./LinkButton-WSXmy5VN.js";import{t as l}from"./options-1LbvaZw0.js";import{t as u}from"./columns-BmXaYcoQ.js";import{a as d,i as f,n as p,t as m}from"./words-BITwiwWZ.js";import{r as h}from"./react-AyOTluXZ.js";var g=[{name:`failing`,label:d.failing,kind:`flag`},{name:`interval`,label:d.interval,kind:`choice`,options:l(m)},{name:`nextBillingFrom`,label:d.nextFrom,kind:`date`},{name:`nextBillingTo`,label:d.nextTo,kind:`date`},{name:`createdFrom`,label:d.createdFrom,kind:`date`},{name:`createdTo`,label:d.createdTo,kind:`date`},{name:`externalReference`,label:d.reference,kind:`text`},{name:`customerId`,label:d.ofCustomer,kind:`parent`}],_=h(),v=t(`
  query Subscriptions($first: Int, $after: String, $filter: SubscriptionContractFilter, $order: SubscriptionOrder!) {
    subscriptions(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id customerName amount interval status lastFailure nextBillingAt } }
    }
  }
`);function y(){let t=s(),[m,h]=o(),y=i([`subscriptions`,m],async(t,i)=>{let a=m.order??`created_at_desc`,o={first:25,after:t,filter:n(m,g),order:a};return r((await e(v,o,{signal:i})).subscriptions)});return(0,_.jsx)(a,{title:d.title,action:t(`createSubscription`)&&(0,_.jsx)(c,{to:`/assinaturas/nova`,children:d.newSubscription}),search:m,onSearch:h,tabs:{name:`status`,label:d.status,options:l(f)},filters:g,placeholder:d.search,orders:l(p),list:y,columns:u,empty:{title:d.empty,children:(0,_.jsx)(`p`,{children:d.emptyLead})}})}export{y as SubscriptionsPage};