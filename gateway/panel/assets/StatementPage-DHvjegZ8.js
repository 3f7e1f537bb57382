import{a as e,i as t,n,r,s as i,t as a}from"./useListSearch-DbyWkPU4.js";import{a as o,r as s}from"./request-CmBGbJcL.js";import{n as c,t as l}from"./present-lGORn0O1.js";import{t as u}from"./queries-BxhiX8HR.js";import{n as d}from"./words-xOtjye_d.js";import{t as f}from"./PrintButton-BSYI528r.js";import{t as p}from"./SheetHead-CQL_tDkt.js";import{t as m}from"./Empty-C1rdghAQ.js";import{t as h}from"./ErrorNotice-OL_u5joa.js";import{O as g,o as _}from"./format-Bn0KZV_R.js";import{d as v,t as y}from"./main-C2vBWilN.js";import{t as b}from"./Table-BysXTKx7.js";import{t as x}from"./BalanceNav-BQvNoWDC.js";import{n as S}from"./filters-B4MBacNh.js";import{t as C}from"./link-Ds5uqn3o.js";import{t as w}from"./Money-C_BvHsTP.js";import{t as T}from"./Time-7ZbB8kIw.js";import{r as E}from"./columns-DCbzWnY1.js";import{t as D}from"./formatPixKey-DFu3L2MX.js";import{a as O,o as k}from"./words-B1KrUett.js";import{r as A}from"./react-AyOTluXZ.js";var j=A(),M=[{label:k.entry,cell:e=>(0,j.jsx)(N,{entry:e})},{label:k.amount,align:`end`,cell:e=>(0,j.jsx)(w,{value:e.amount})},{label:k.at,cell:e=>(0,j.jsx)(T,{value:e.at})},{label:k.after,align:`end`,cell:e=>(0,j.jsx)(w,{value:e.balanceAfter})}];function N({entry:e}){let{kind:t,amount:n,withdrawal:r,repayment:i}=e,a=e.charge??e.refund?.charge;return(0,j.jsxs)(j.Fragment,{children:[t===`charge_refunded`&&n>0?k.feeBack:O[t],` `,a&&(0,j.jsx)(C,{to:`/cobrancas/$id`,params:{id:a.id},children:a.customerName??a.description??k.charge}),r&&(0,j.jsx)(C,{to:`/saldo/saques/$id`,params:{id:r.id},children:D(r.pixKeyType,r.pixKey)}),i&&(0,j.jsx)(C,{to:`/saldo/repasses/$id`,params:{id:i.id},children:E(i.paidFrom,i.paidTo)})]})}var P=o(`
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
`),F=o(`
  mutation ExportStatement($from: DateTime, $to: DateTime, $timeZone: String!, $format: ExportFormat!) {
    exportStatement(from: $from, to: $to, timeZone: $timeZone, format: $format) { url }
  }
`);function I(){let[e,t]=a({filters:S}),o=u(),C={from:e.from??null,to:e.to??null,timeZone:g()},w=i({queryKey:[`balance`,`statement`,e],queryFn:async({pageParam:e,signal:t})=>{let n={first:50,after:e,...C};return l((await s(P,n,{signal:t})).statement)},initialPageParam:null,getNextPageParam:({pageInfo:e})=>e.hasNextPage?e.endCursor??null:null}),T=w.data?.pages.flatMap(({edges:e})=>e.map(({cursor:e,node:t})=>({id:e,...t}))),E=(0,j.jsxs)(j.Fragment,{children:[o(`exportStatement`)&&(0,j.jsx)(r,{search:e,filters:S,onExport:async e=>l((await s(F,{...C,format:e})).exportStatement)}),(0,j.jsx)(f,{})]});return(0,j.jsxs)(j.Fragment,{children:[(0,j.jsx)(x,{}),(0,j.jsx)(p,{about:L(e)}),(0,j.jsx)(v,{title:k.title}),(0,j.jsx)(n,{search:e,onSearch:t,filters:S,tools:E}),w.isPending&&(0,j.jsx)(y,{lines:6}),w.error&&(0,j.jsx)(h,{error:w.error,onRetry:w.refetch}),T?.length===0&&(0,j.jsx)(m,{title:k.empty}),T&&T.length>0&&(0,j.jsx)(b,{caption:k.title,columns:M,rows:T}),w.hasNextPage&&(0,j.jsx)(`p`,{className:`print-only`,children:k.partial(_(T?.length??0))}),w.hasNextPage&&(0,j.jsx)(c,{variant:`plain`,busy:w.isFetchingNextPage,onClick:()=>void w.fetchNextPage(),children:d.more})]})}var L=n=>e(n,S).map(e=>t(e,n[e.name]??``)).join(` · `)||k.allTime;export{I as StatementPage};