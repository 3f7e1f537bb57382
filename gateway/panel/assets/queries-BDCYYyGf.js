import{t as e}from"./queryOptions-D5kIdy4A.js";import{c as t,l as n,u as r}from"./main-Dx5VnZho.js";import{t as i}from"./present-D_1kSWmV.js";var a=3e3,o=15e3,s=r(`
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
  query QuoteWithdrawal($amount: Reais!) { quoteWithdrawal(amount: $amount) { feeAmount netAmount } }
`),h=n=>e({queryKey:[`balance`,`quote`,n],queryFn:async({signal:e})=>i((await t(m,{amount:n},{signal:e})).quoteWithdrawal)}),g=r(`
  query ReceivedRepayment($id: ID!) {
    receivedRepayment(id: $id) {
      id status paidFrom paidTo grossAmount feeAmount deductedAmount netAmount chargesCount deductedCount endToEndId
      createdAt concludedAt
    }
  }
`),_=n=>e({queryKey:[`balance`,`repayment`,n],queryFn:async({signal:e})=>i((await t(g,{id:n},{signal:e})).receivedRepayment)}),v=r(`
  query PixKeys { pixKeys { id name pixKey pixKeyType } }
`),y=e({queryKey:[`balance`,`pixKeys`],queryFn:async({signal:e})=>i((await t(v,{},{signal:e})).pixKeys)});export{c as a,_ as i,h as n,p as o,u as r,y as t};