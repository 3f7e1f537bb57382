import{c as e,u as t}from"./main-Dx5VnZho.js";import{t as n}from"./present-D_1kSWmV.js";import{n as r,r as i}from"./ListPage-C07TwWMy.js";import{t as a}from"./queries-DI6QXjMn.js";import{o,s,t as c}from"./useListSearch-OGLVh2KM.js";import{t as l}from"./LinkButton-Cxv3J9bH.js";import{t as u}from"./options-1LbvaZw0.js";import{t as d}from"./BalanceNav-DJzFlL62.js";import{n as f}from"./columns-Cp8Ezpur.js";import{r as p}from"./filters-CJqeq1Xe.js";import{d as m,f as h,l as g,t as _,u as v}from"./words-CCslPvIp.js";import{r as y}from"./react-AyOTluXZ.js";var b=y(),x=t(`
  query Withdrawals($first: Int, $after: String, $filter: WithdrawalFilter, $order: WithdrawalOrder!) {
    withdrawals(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id status amount pixKey pixKeyType createdAt } }
    }
  }
`),S=t(`
  mutation ExportWithdrawals($filter: WithdrawalFilter, $order: WithdrawalOrder!, $format: ExportFormat!, $columns: [WithdrawalColumn!]) {
    exportWithdrawals(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`),{canceled:C,...w}=m,T={tabs:{name:`status`,label:h.status,options:u(w)},filters:p,placeholder:h.search,orders:u(v)};function E(){let t=a(),[u,m]=c(T),v=u.order??`created_at_desc`,y={filter:o(u,p),order:v},C=i([`balance`,`withdrawals`,u],async(t,r)=>{let i={first:25,after:t,...y};return n((await e(x,i,{signal:r})).withdrawals)});return(0,b.jsxs)(b.Fragment,{children:[(0,b.jsx)(d,{}),(0,b.jsx)(r,{title:h.title,action:t(`requestWithdrawal`)&&(0,b.jsx)(l,{to:`/saldo/sacar`,children:h.new}),search:u,onSearch:m,...T,list:C,columns:f,file:t(`exportWithdrawals`)&&s(g,async t=>n((await e(S,{...y,...t})).exportWithdrawals)),empty:{title:_.noWithdrawals,lead:_.noWithdrawalsLead,docs:`grupo-saques`}})]})}export{E as WithdrawalsPage};