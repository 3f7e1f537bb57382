import{n as e,t}from"./gql-CZjz-Uhh.js";import{_t as n,bt as r,c as i,dt as a,ft as o,gt as s,h as c,vt as l}from"./main-B5CH1OM2.js";import{i as u,r as d,t as f}from"./useListSearch-CnSxP2GZ.js";import{t as p}from"./queries-CChtE3VT.js";import{t as m}from"./LinkButton-ClaaUTUq.js";import{n as h,r as g}from"./columns-CTvE8emb.js";import{r as _}from"./react-AyOTluXZ.js";var v=_(),y=t(`
  query Withdrawals($first: Int, $after: String, $filter: WithdrawalFilter, $order: WithdrawalOrder!) {
    withdrawals(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id status amount pixKey pixKeyType createdAt } }
    }
  }
`),{canceled:b,...x}=n;function S(){let t=p(),[n,_]=f(),b=u([`balance`,`withdrawals`,n],async(t,i)=>{let o=n.order??`created_at_desc`,s={first:25,after:t,filter:r(n,a),order:o};return c((await e(y,s,{signal:i})).withdrawals)});return(0,v.jsxs)(v.Fragment,{children:[(0,v.jsx)(g,{}),(0,v.jsx)(d,{title:l.title,action:t(`requestWithdrawal`)&&(0,v.jsx)(m,{to:`/saldo/sacar`,children:l.new}),search:n,onSearch:_,tabs:{name:`status`,label:l.status,options:i(x)},filters:a,placeholder:l.search,orders:i(s),list:b,columns:h,empty:{title:o.noWithdrawals,children:(0,v.jsx)(`p`,{children:o.noWithdrawalsLead})}})]})}export{S as WithdrawalsPage};