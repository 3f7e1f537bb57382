import{t as e}from"./queryOptions-C9DoWxj0.js";import{a as t,i as n,r}from"./request-QLMvDYM1.js";import{t as i}from"./present-C6ZMvN9P.js";var a=3e3,o=15e3,s=t(`
  query BalanceSummary {
    withdrawalSummary {
      grossAmount feeAmount netAmount withdrawnAmount pendingAmount availableAmount chargesCount withdrawalsCount modo
    }
  }
`),c=e({queryKey:[`balance`,`summary`],queryFn:async({signal:e})=>i((await r(s,{},{signal:e})).withdrawalSummary),refetchInterval:o}),l=t(`
  query RecentMoneyOut {
    withdrawals(first: 5) { edges { node { id status amount netAmount pixKey pixKeyType createdAt } } }
    receivedRepayments(first: 5) {
      edges { node { id status netAmount chargesCount paidFrom paidTo createdAt } }
    }
  }
`),u=e({queryKey:[`balance`,`recent`],queryFn:({signal:e})=>n(l,{},{signal:e}),refetchInterval:o}),d=t(`
  query Withdrawal($id: ID!) {
    withdrawal(id: $id) {
      id status amount feeAmount netAmount pixKey pixKeyType description externalReference rejectReason endToEndId
      createdAt completedAt rejectedAt
    }
  }
`),f=[`pending`,`processing`],p=t=>e({queryKey:[`balance`,`withdrawal`,t],queryFn:async({signal:e})=>i((await r(d,{id:t},{signal:e})).withdrawal),refetchInterval:({state:e})=>f.includes(e.data?.status??``)?a:!1}),m=t(`
  query QuoteWithdrawal($amount: Reais!) { quoteWithdrawal(amount: $amount) { feeAmount netAmount } }
`),h=t=>e({queryKey:[`balance`,`quote`,t],queryFn:async({signal:e})=>i((await r(m,{amount:t},{signal:e})).quoteWithdrawal)}),g=t(`
  query ReceivedRepayment($id: ID!) {
    receivedRepayment(id: $id) {
      id status paidFrom paidTo grossAmount feeAmount deductedAmount netAmount chargesCount deductedCount endToEndId
      createdAt concludedAt
    }
  }
`),_=t=>e({queryKey:[`balance`,`repayment`,t],queryFn:async({signal:e})=>i((await r(g,{id:t},{signal:e})).receivedRepayment)}),v=t(`
  query PixKeys { pixKeys { id name pixKey pixKeyType } }
`),y=e({queryKey:[`balance`,`pixKeys`],queryFn:async({signal:e})=>i((await r(v,{},{signal:e})).pixKeys)});export{c as a,_ as i,h as n,p as o,u as r,y as t};