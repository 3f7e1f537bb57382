import{n as e,t}from"./graphql-B7XjjIDb.js";import{o as n,u as r}from"./main-Dzt6kujY.js";import{i,r as a,t as o}from"./useListSearch-Cmv_13yW.js";import{t as s}from"./queries-CyIjJXEM.js";import{t as c}from"./LinkButton-BcwpBfi7.js";import{t as l}from"./options-1LbvaZw0.js";import{n as u,r as d}from"./columns-CJnJVUyc.js";import{n as f}from"./filters-GlEyN4yf.js";import{a as p,o as m,s as h,t as g}from"./words-DfN_L6M8.js";import{r as _}from"./react-AyOTluXZ.js";var v=_(),y=t(`
  query Withdrawals($first: Int, $after: String, $filter: WithdrawalFilter, $order: WithdrawalOrder!) {
    withdrawals(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id status amount pixKey pixKeyType createdAt } }
    }
  }
`),{canceled:b,...x}=m;function S(){let t=s(),[m,_]=o(),b=i([`balance`,`withdrawals`,m],async(t,i)=>{let a=m.order??`created_at_desc`,o={first:25,after:t,filter:r(m,f),order:a};return n((await e(y,o,{signal:i})).withdrawals)});return(0,v.jsxs)(v.Fragment,{children:[(0,v.jsx)(d,{}),(0,v.jsx)(a,{title:h.title,action:t(`requestWithdrawal`)&&(0,v.jsx)(c,{to:`/saldo/sacar`,children:h.new}),search:m,onSearch:_,tabs:{name:`status`,label:h.status,options:l(x)},filters:f,placeholder:h.search,orders:l(p),list:b,columns:u,empty:{title:g.noWithdrawals,children:(0,v.jsx)(`p`,{children:g.noWithdrawalsLead})}})]})}export{S as WithdrawalsPage};