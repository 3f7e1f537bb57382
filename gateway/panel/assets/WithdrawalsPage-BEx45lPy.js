import{a as e,r as t}from"./request-CmBGbJcL.js";import{t as n}from"./present-lGORn0O1.js";import{n as r,r as i}from"./ListPage-10yrSQOp.js";import{t as a}from"./queries-BxhiX8HR.js";import{o,t as s}from"./useListSearch-DbyWkPU4.js";import{t as c}from"./LinkButton-BnkiAJg5.js";import{t as l}from"./options-1LbvaZw0.js";import{t as u}from"./BalanceNav-BQvNoWDC.js";import{n as d}from"./columns-DCbzWnY1.js";import{r as f}from"./filters-B4MBacNh.js";import{c as p,l as m,s as h,t as g}from"./words-B1KrUett.js";import{r as _}from"./react-AyOTluXZ.js";var v=_(),y=e(`
  query Withdrawals($first: Int, $after: String, $filter: WithdrawalFilter, $order: WithdrawalOrder!) {
    withdrawals(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id status amount pixKey pixKeyType createdAt } }
    }
  }
`),b=e(`
  mutation ExportWithdrawals($filter: WithdrawalFilter, $order: WithdrawalOrder!, $format: ExportFormat!) {
    exportWithdrawals(filter: $filter, order: $order, format: $format) { url }
  }
`),{canceled:x,...S}=p,C={tabs:{name:`status`,label:m.status,options:l(S)},filters:f,placeholder:m.search,orders:l(h)};function w(){let e=a(),[l,p]=s(C),h=l.order??`created_at_desc`,_={filter:o(l,f),order:h},x=i([`balance`,`withdrawals`,l],async(e,r)=>{let i={first:25,after:e,..._};return n((await t(y,i,{signal:r})).withdrawals)});return(0,v.jsxs)(v.Fragment,{children:[(0,v.jsx)(u,{}),(0,v.jsx)(r,{title:m.title,action:e(`requestWithdrawal`)&&(0,v.jsx)(c,{to:`/saldo/sacar`,children:m.new}),search:l,onSearch:p,...C,list:x,columns:d,onExport:e(`exportWithdrawals`)&&(async e=>n((await t(b,{..._,format:e})).exportWithdrawals)),empty:{title:g.noWithdrawals,children:(0,v.jsx)(`p`,{children:g.noWithdrawalsLead})}})]})}export{w as WithdrawalsPage};