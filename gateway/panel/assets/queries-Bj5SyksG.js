import{t as e}from"./queryOptions-D5kIdy4A.js";import{c as t,u as n}from"./main-Dx5VnZho.js";import{t as r}from"./present-D_1kSWmV.js";import{s as i}from"./format-otRkt6Kn.js";var a=n(`
  query Subscription($id: ID!) {
    subscription(id: $id) {
      id environment customerId customerName customerEmail customerCpf description amount interval intervalCount status
      nextBillingAt endDate maxCycles cyclesCount externalReference lastFailure createdAt updatedAt paidCount
      paidAmount lastPaidAt
      customer { id name email cpf }
    }
  }
`),o=n=>e({queryKey:[`subscriptions`,`one`,n],queryFn:async({signal:e})=>r((await t(a,{id:n},{signal:e})).subscription)}),s=n(`
  query UpcomingCharges($id: ID!, $count: Int!) {
    upcomingCharges(id: $id, count: $count) { cycle billingAt amount }
  }
`),c=(n,i)=>e({queryKey:[`subscriptions`,`upcoming`,n,i],queryFn:async({signal:e})=>r((await t(s,{id:n,count:i},{signal:e})).upcomingCharges)}),l=n(`
  mutation UpdateSubscription($input: UpdateSubscriptionContractInput!) { updateSubscription(input: $input) { id } }
`),u=n(`
  query FindSubscriptions($q: String) {
    subscriptions(first: 20, filter: { q: $q }) { edges { node { id customerName description amount } } }
  }
`),d=({id:e,customerName:t,description:n,amount:r})=>({value:e,label:t,detail:n??i(r)}),f={of:`subscriptions`,find:async(e,n)=>{let{subscriptions:i}=await t(u,{q:e||null},{signal:n});return r(i).edges.map(e=>d(e.node))},read:async(e,n)=>d(r((await t(a,{id:e},{signal:n})).subscription))};export{c as i,o as n,f as r,l as t};