import{t as e}from"./queryOptions-Dfvzj6n2.js";import{n as t,r as n,t as r}from"./graphql-B7XjjIDb.js";import{o as i}from"./main-Dzt6kujY.js";var a=3e3,o=15e3,s=r(`
  query BalanceSummary {
    withdrawalSummary {
      grossAmount feeAmount netAmount withdrawnAmount pendingAmount availableAmount chargesCount withdrawalsCount modo
    }
  }
`),c=e({queryKey:[`balance`,`summary`],queryFn:async({signal:e})=>i((await t(s,{},{signal:e})).withdrawalSummary),refetchInterval:o}),l=r(`
  query RecentMoneyOut {
    withdrawals(first: 5) { edges { node { id status amount netAmount pixKey pixKeyType createdAt } } }
    receivedRepayments(first: 5) {
      edges { node { id status netAmount chargesCount paidFrom paidTo createdAt } }
    }
  }
`),u=e({queryKey:[`balance`,`recent`],queryFn:({signal:e})=>n(l,{},{signal:e}),refetchInterval:o}),d=r(`
  query Withdrawal($id: ID!) {
    withdrawal(id: $id) {
      id status amount feeAmount netAmount pixKey pixKeyType description externalReference rejectReason endToEndId
      createdAt completedAt rejectedAt
    }
  }
`),f=[`pending`,`processing`],p=n=>e({queryKey:[`balance`,`withdrawal`,n],queryFn:async({signal:e})=>i((await t(d,{id:n},{signal:e})).withdrawal),refetchInterval:({state:e})=>f.includes(e.data?.status??``)?a:!1}),m=r(`
  query ReceivedRepayment($id: ID!) {
    receivedRepayment(id: $id) {
      id status paidFrom paidTo grossAmount feeAmount deductedAmount netAmount chargesCount deductedCount endToEndId
      createdAt concludedAt
    }
  }
`),h=n=>e({queryKey:[`balance`,`repayment`,n],queryFn:async({signal:e})=>i((await t(m,{id:n},{signal:e})).receivedRepayment)});export{p as i,h as n,c as r,u as t};