import{a as e,c as t,i as n,n as r,r as i,s as a,t as o}from"./useListSearch-OGLVh2KM.js";import{_ as s,c,t as l,u}from"./main-Dx5VnZho.js";import{n as d,t as f}from"./present-D_1kSWmV.js";import{t as p}from"./queries-DI6QXjMn.js";import{n as m}from"./words-BPNyrhnL.js";import{t as h}from"./PrintButton-BxKhfBBu.js";import{t as g}from"./SheetHead-C5XqzVsm.js";import{t as _}from"./Empty-C1rdghAQ.js";import{t as v}from"./ErrorNotice-Dq4_C44u.js";import{O as y,o as b}from"./format-otRkt6Kn.js";import{t as x}from"./Table-BysXTKx7.js";import{t as S}from"./BalanceNav-DJzFlL62.js";import{n as C}from"./filters-CJqeq1Xe.js";import{t as w}from"./link-Ds5uqn3o.js";import{t as T}from"./Money-BM-EQou1.js";import{t as E}from"./Time-CbjtBCgW.js";import{r as D}from"./columns-Cp8Ezpur.js";import{t as O}from"./formatPixKey-qnYOG__a.js";import{c as k,o as A,s as j}from"./words-CCslPvIp.js";import{r as M}from"./react-AyOTluXZ.js";var N=M(),P=[{label:k.entry,cell:e=>(0,N.jsx)(F,{entry:e})},{label:k.amount,align:`end`,cell:e=>(0,N.jsx)(T,{value:e.amount})},{label:k.at,cell:e=>(0,N.jsx)(E,{value:e.at})},{label:k.after,align:`end`,cell:e=>(0,N.jsx)(T,{value:e.balanceAfter})}];function F({entry:e}){let{kind:t,amount:n,withdrawal:r,repayment:i}=e,a=e.charge??e.refund?.charge;return(0,N.jsxs)(N.Fragment,{children:[t===`charge_refunded`&&n>0?k.feeBack:j[t],` `,a&&(0,N.jsx)(w,{to:`/cobrancas/$id`,params:{id:a.id},children:a.customerName??a.description??k.charge}),r&&(0,N.jsx)(w,{to:`/saldo/saques/$id`,params:{id:r.id},children:O(r.pixKeyType,r.pixKey)}),i&&(0,N.jsx)(w,{to:`/saldo/repasses/$id`,params:{id:i.id},children:D(i.paidFrom,i.paidTo)})]})}var I=u(`
  query Statement($first: Int, $after: String, $from: DateTime, $to: DateTime, $timeZone: String!) {
    statement(first: $first, after: $after, from: $from, to: $to, timeZone: $timeZone) {
      pageInfo { endCursor hasNextPage }
      edges {
        cursor
        node {
          at kind amount balanceAfter
          charge { id description customerName }
          refund { id charge { id description customerName } }
          withdrawal { id pixKey pixKeyType }
          repayment { id paidFrom paidTo }
        }
      }
    }
  }
`),L=u(`
  mutation ExportStatement($from: DateTime, $to: DateTime, $timeZone: String!, $format: ExportFormat!, $columns: [StatementColumn!]) {
    exportStatement(from: $from, to: $to, timeZone: $timeZone, format: $format, columns: $columns) { url }
  }
`);function R(){let[e,n]=o({filters:C}),u=p(),w={from:e.from??null,to:e.to??null,timeZone:y()},T=t({queryKey:[`balance`,`statement`,e],queryFn:async({pageParam:e,signal:t})=>{let n={first:50,after:e,...w};return f((await c(I,n,{signal:t})).statement)},initialPageParam:null,getNextPageParam:({pageInfo:e})=>e.hasNextPage?e.endCursor??null:null}),E=T.data?.pages.flatMap(({edges:e})=>e.map(({cursor:e,node:t})=>({id:e,...t}))),D=(0,N.jsxs)(N.Fragment,{children:[u(`exportStatement`)&&(0,N.jsx)(i,{search:e,filters:C,file:a(A,async e=>f((await c(L,{...w,...e})).exportStatement))}),(0,N.jsx)(h,{})]});return(0,N.jsxs)(N.Fragment,{children:[(0,N.jsx)(S,{}),(0,N.jsx)(g,{about:z(e)}),(0,N.jsx)(s,{title:k.title}),(0,N.jsx)(r,{search:e,onSearch:n,filters:C,tools:D}),T.isPending&&(0,N.jsx)(l,{lines:6}),T.error&&(0,N.jsx)(v,{error:T.error,onRetry:T.refetch}),E?.length===0&&(0,N.jsx)(_,{title:k.empty}),E&&E.length>0&&(0,N.jsx)(x,{caption:k.title,columns:P,rows:E}),T.hasNextPage&&(0,N.jsx)(`p`,{className:`print-only`,children:k.partial(b(E?.length??0))}),T.hasNextPage&&(0,N.jsx)(d,{variant:`plain`,busy:T.isFetchingNextPage,onClick:()=>void T.fetchNextPage(),children:m.more})]})}var z=t=>e(t,C).map(e=>n(e,t[e.name]??``)).join(` · `)||k.allTime;export{R as StatementPage};