import{D as e}from"./format-CqjdgUsg.js";import{i as t,r as n,t as r}from"./graphql-_m2Zo-_n.js";import{t as i}from"./present-DW0qiDls.js";var a=3e3,o=15e3,s=r(`
  query BalanceSummary {
    withdrawalSummary {
      grossAmount feeAmount netAmount withdrawnAmount pendingAmount availableAmount chargesCount withdrawalsCount modo
    }
  }
`),c=e({queryKey:[`balance`,`summary`],queryFn:async({signal:e})=>i((await n(s,{},{signal:e})).withdrawalSummary),refetchInterval:o}),l=r(`
  query RecentMoneyOut {
    withdrawals(first: 5) { edges { node { id status amount netAmount pixKey pixKeyType createdAt } } }
    receivedRepayments(first: 5) {
      edges { node { id status netAmount chargesCount paidFrom paidTo createdAt } }
    }
  }
`),u=e({queryKey:[`balance`,`recent`],queryFn:({signal:e})=>t(l,{},{signal:e}),refetchInterval:o}),d=r(`
  query Withdrawal($id: ID!) {
    withdrawal(id: $id) {
      id status amount feeAmount netAmount pixKey pixKeyType description externalReference rejectReason endToEndId
      createdAt completedAt rejectedAt
    }
  }
`),f=[`pending`,`processing`],p=t=>e({queryKey:[`balance`,`withdrawal`,t],queryFn:async({signal:e})=>i((await n(d,{id:t},{signal:e})).withdrawal),refetchInterval:({state:e})=>f.includes(e.data?.status??``)?a:!1}),m=r(`
  query QuoteWithdrawal($amount: Float!) { quoteWithdrawal(amount: $amount) { feeAmount netAmount } }
`),h=t=>e({queryKey:[`balance`,`quote`,t],queryFn:async({signal:e})=>i((await n(m,{amount:t},{signal:e})).quoteWithdrawal)}),g=r(`
  query ReceivedRepayment($id: ID!) {
    receivedRepayment(id: $id) {
      id status paidFrom paidTo grossAmount feeAmount deductedAmount netAmount chargesCount deductedCount endToEndId
      createdAt concludedAt
    }
  }
`),_=t=>e({queryKey:[`balance`,`repayment`,t],queryFn:async({signal:e})=>i((await n(g,{id:t},{signal:e})).receivedRepayment)}),v=r(`
  query PixKeys { pixKeys { id name pixKey pixKeyType } }
`),y=e({queryKey:[`balance`,`pixKeys`],queryFn:async({signal:e})=>i((await n(v,{},{signal:e})).pixKeys)});export{c as a,_ as i,h as n,p as o,u as r,y as t};