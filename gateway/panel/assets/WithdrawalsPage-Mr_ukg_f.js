import{r as e,t}from"./graphql-_m2Zo-_n.js";import{d as n,o as r}from"./main-C-oYntFE.js";import{n as i,r as a}from"./ListPage-CMQvye-T.js";import{t as o}from"./queries-_SQB2jpZ.js";import{t as s}from"./useListSearch-CPBOzUJY.js";import{t as c}from"./LinkButton-DTFncre9.js";import{t as l}from"./options-1LbvaZw0.js";import{i as u,n as d}from"./columns-B5JFHK2I.js";import{r as f}from"./filters-C5S2TXQb.js";import{c as p,l as m,s as h,t as g}from"./words-Y3Q7E-1K.js";import{r as _}from"./react-AyOTluXZ.js";var v=_(),y=t(`
  query Withdrawals($first: Int, $after: String, $filter: WithdrawalFilter, $order: WithdrawalOrder!) {
    withdrawals(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id status amount pixKey pixKeyType createdAt } }
    }
  }
`),b=t(`
  mutation ExportWithdrawals($filter: WithdrawalFilter, $order: WithdrawalOrder!, $format: ExportFormat!) {
    exportWithdrawals(filter: $filter, order: $order, format: $format) { url }
  }
`),{canceled:x,...S}=p;function C(){let t=o(),[p,_]=s(),x=p.order??`created_at_desc`,C={filter:n(p,f),order:x},w=a([`balance`,`withdrawals`,p],async(t,n)=>{let i={first:25,after:t,...C};return r((await e(y,i,{signal:n})).withdrawals)});return(0,v.jsxs)(v.Fragment,{children:[(0,v.jsx)(u,{}),(0,v.jsx)(i,{title:m.title,action:t(`requestWithdrawal`)&&(0,v.jsx)(c,{to:`/saldo/sacar`,children:m.new}),search:p,onSearch:_,tabs:{name:`status`,label:m.status,options:l(S)},filters:f,placeholder:m.search,orders:l(h),list:w,columns:d,onExport:t(`exportWithdrawals`)&&(async t=>r((await e(b,{...C,format:t})).exportWithdrawals)),empty:{title:g.noWithdrawals,children:(0,v.jsx)(`p`,{children:g.noWithdrawalsLead})}})]})}export{C as WithdrawalsPage};