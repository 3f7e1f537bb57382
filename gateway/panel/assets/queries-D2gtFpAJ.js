import{t as e}from"./queryOptions-C9DoWxj0.js";import{a as t,r as n}from"./request-QLMvDYM1.js";import{t as r}from"./present-C6ZMvN9P.js";import{s as i}from"./format-otRkt6Kn.js";var a=t(`
  query Subscription($id: ID!) {
    subscription(id: $id) {
      id environment customerId customerName customerEmail customerCpf description amount interval intervalCount status
      nextBillingAt endDate maxCycles cyclesCount externalReference lastFailure createdAt updatedAt paidCount
      paidAmount lastPaidAt
      customer { id name email cpf }
    }
  }
`),o=t=>e({queryKey:[`subscriptions`,`one`,t],queryFn:async({signal:e})=>r((await n(a,{id:t},{signal:e})).subscription)}),s=t(`
  query UpcomingCharges($id: ID!, $count: Int!) {
    upcomingCharges(id: $id, count: $count) { cycle billingAt amount }
  }
`),c=(t,i)=>e({queryKey:[`subscriptions`,`upcoming`,t,i],queryFn:async({signal:e})=>r((await n(s,{id:t,count:i},{signal:e})).upcomingCharges)}),l=t(`
  mutation UpdateSubscription($input: UpdateSubscriptionContractInput!) { updateSubscription(input: $input) { id } }
`),u=t(`
  query FindSubscriptions($q: String) {
    subscriptions(first: 20, filter: { q: $q }) { edges { node { id customerName description amount } } }
  }
`),d=({id:e,customerName:t,description:n,amount:r})=>({value:e,label:t,detail:n??i(r)}),f={of:`subscriptions`,find:async(e,t)=>{let{subscriptions:i}=await n(u,{q:e||null},{signal:t});return r(i).edges.map(e=>d(e.node))},read:async(e,t)=>d(r((await n(a,{id:e},{signal:t})).subscription))};export{c as i,o as n,f as r,l as t};