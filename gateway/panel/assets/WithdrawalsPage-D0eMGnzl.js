import{a as e,r as t}from"./request-CmBGbJcL.js";import{t as n}from"./present-lGORn0O1.js";import{n as r,r as i}from"./ListPage-_2EkWFOJ.js";import{t as a}from"./queries-cOu0VojD.js";import{o,t as s}from"./useListSearch-BQL78oSe.js";import{t as c}from"./LinkButton-BnkiAJg5.js";import{t as l}from"./options-1LbvaZw0.js";import{t as u}from"./BalanceNav-BQvNoWDC.js";import{n as d}from"./columns-CEbp8nxL.js";import{r as f}from"./filters-B4MBacNh.js";import{c as p,l as m,s as h,t as g}from"./words-B1KrUett.js";import{r as _}from"./react-AyOTluXZ.js";var v=_(),y=e(`
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
`),{canceled:x,...S}=p;function C(){let e=a(),[p,_]=s(),x=p.order??`created_at_desc`,C={filter:o(p,f),order:x},w=i([`balance`,`withdrawals`,p],async(e,r)=>{let i={first:25,after:e,...C};return n((await t(y,i,{signal:r})).withdrawals)});return(0,v.jsxs)(v.Fragment,{children:[(0,v.jsx)(u,{}),(0,v.jsx)(r,{title:m.title,action:e(`requestWithdrawal`)&&(0,v.jsx)(c,{to:`/saldo/sacar`,children:m.new}),search:p,onSearch:_,tabs:{name:`status`,label:m.status,options:l(S)},filters:f,placeholder:m.search,orders:l(h),list:w,columns:d,onExport:e(`exportWithdrawals`)&&(async e=>n((await t(b,{...C,format:e})).exportWithdrawals)),empty:{title:g.noWithdrawals,children:(0,v.jsx)(`p`,{children:g.noWithdrawalsLead})}})]})}export{C as WithdrawalsPage};