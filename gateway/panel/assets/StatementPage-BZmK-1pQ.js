import{a as e,c as t,i as n,n as r,r as i,s as a,t as o}from"./useListSearch-DEXvDj6z.js";import{a as s,r as c}from"./request-QLMvDYM1.js";import{n as l,t as u}from"./present-C6ZMvN9P.js";import{t as d}from"./queries-WGPw6u_F.js";import{n as f}from"./words-DER5xrXL.js";import{t as p}from"./PrintButton-CgB9CZYf.js";import{t as m}from"./SheetHead-uawm8M5b.js";import{t as h}from"./Empty-C1rdghAQ.js";import{t as g}from"./ErrorNotice-CFUhoMd3.js";import{O as _,o as v}from"./format-otRkt6Kn.js";import{f as y,t as b}from"./main-DocYwmjR.js";import{t as x}from"./Table-BysXTKx7.js";import{t as S}from"./BalanceNav-BDD_aSrf.js";import{n as C}from"./filters-Be89GxHr.js";import{t as w}from"./link-Ds5uqn3o.js";import{t as T}from"./Money-BM-EQou1.js";import{t as E}from"./Time-CbjtBCgW.js";import{r as D}from"./columns-BMozWn2t.js";import{t as O}from"./formatPixKey-qnYOG__a.js";import{c as k,o as A,s as j}from"./words-Cft8cTFw.js";import{r as M}from"./react-AyOTluXZ.js";var N=M(),P=[{label:k.entry,cell:e=>(0,N.jsx)(F,{entry:e})},{label:k.amount,align:`end`,cell:e=>(0,N.jsx)(T,{value:e.amount})},{label:k.at,cell:e=>(0,N.jsx)(E,{value:e.at})},{label:k.after,align:`end`,cell:e=>(0,N.jsx)(T,{value:e.balanceAfter})}];function F({entry:e}){let{kind:t,amount:n,withdrawal:r,repayment:i}=e,a=e.charge??e.refund?.charge;return(0,N.jsxs)(N.Fragment,{children:[t===`charge_refunded`&&n>0?k.feeBack:j[t],` `,a&&(0,N.jsx)(w,{to:`/cobrancas/$id`,params:{id:a.id},children:a.customerName??a.description??k.charge}),r&&(0,N.jsx)(w,{to:`/saldo/saques/$id`,params:{id:r.id},children:O(r.pixKeyType,r.pixKey)}),i&&(0,N.jsx)(w,{to:`/saldo/repasses/$id`,params:{id:i.id},children:D(i.paidFrom,i.paidTo)})]})}var I=s(`
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
`),L=s(`
  mutation ExportStatement($from: DateTime, $to: DateTime, $timeZone: String!, $format: ExportFormat!, $columns: [StatementColumn!]) {
    exportStatement(from: $from, to: $to, timeZone: $timeZone, format: $format, columns: $columns) { url }
  }
`);function R(){let[e,n]=o({filters:C}),s=d(),w={from:e.from??null,to:e.to??null,timeZone:_()},T=t({queryKey:[`balance`,`statement`,e],queryFn:async({pageParam:e,signal:t})=>{let n={first:50,after:e,...w};return u((await c(I,n,{signal:t})).statement)},initialPageParam:null,getNextPageParam:({pageInfo:e})=>e.hasNextPage?e.endCursor??null:null}),E=T.data?.pages.flatMap(({edges:e})=>e.map(({cursor:e,node:t})=>({id:e,...t}))),D=(0,N.jsxs)(N.Fragment,{children:[s(`exportStatement`)&&(0,N.jsx)(i,{search:e,filters:C,file:a(A,async e=>u((await c(L,{...w,...e})).exportStatement))}),(0,N.jsx)(p,{})]});return(0,N.jsxs)(N.Fragment,{children:[(0,N.jsx)(S,{}),(0,N.jsx)(m,{about:z(e)}),(0,N.jsx)(y,{title:k.title}),(0,N.jsx)(r,{search:e,onSearch:n,filters:C,tools:D}),T.isPending&&(0,N.jsx)(b,{lines:6}),T.error&&(0,N.jsx)(g,{error:T.error,onRetry:T.refetch}),E?.length===0&&(0,N.jsx)(h,{title:k.empty}),E&&E.length>0&&(0,N.jsx)(x,{caption:k.title,columns:P,rows:E}),T.hasNextPage&&(0,N.jsx)(`p`,{className:`print-only`,children:k.partial(v(E?.length??0))}),T.hasNextPage&&(0,N.jsx)(l,{variant:`plain`,busy:T.isFetchingNextPage,onClick:()=>void T.fetchNextPage(),children:f.more})]})}var z=t=>e(t,C).map(e=>n(e,t[e.name]??``)).join(` · `)||k.allTime;export{R as StatementPage};