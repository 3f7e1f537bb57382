import{A as e,s as t}from"./format-Bn0KZV_R.js";import{a as n,r}from"./request-CmBGbJcL.js";import{t as i}from"./present-CmSYEtVt.js";var a=n(`
  query Subscription($id: ID!) {
    subscription(id: $id) {
      id environment customerId customerName customerEmail customerCpf description amount interval intervalCount status
      nextBillingAt endDate maxCycles cyclesCount externalReference lastFailure createdAt updatedAt paidCount
      paidAmount lastPaidAt
      customer { id name email cpf }
    }
  }
`),o=t=>e({queryKey:[`subscriptions`,`one`,t],queryFn:async({signal:e})=>i((await r(a,{id:t},{signal:e})).subscription)}),s=n(`
  query UpcomingCharges($id: ID!, $count: Int!) {
    upcomingCharges(id: $id, count: $count) { cycle billingAt amount }
  }
`),c=(t,n)=>e({queryKey:[`subscriptions`,`upcoming`,t,n],queryFn:async({signal:e})=>i((await r(s,{id:t,count:n},{signal:e})).upcomingCharges)}),l=n(`
  mutation UpdateSubscription($input: UpdateSubscriptionContractInput!) { updateSubscription(input: $input) { id } }
`),u=n(`
  query FindSubscriptions($q: String) {
    subscriptions(first: 20, filter: { q: $q }) { edges { node { id customerName description amount } } }
  }
`),d=({id:e,customerName:n,description:r,amount:i})=>({value:e,label:n,detail:r??t(i)}),f={of:`subscriptions`,find:async(e,t)=>{let{subscriptions:n}=await r(u,{q:e||null},{signal:t});return i(n).edges.map(e=>d(e.node))},read:async(e,t)=>d(i((await r(a,{id:e},{signal:t})).subscription))};export{c as i,o as n,f as r,l as t};