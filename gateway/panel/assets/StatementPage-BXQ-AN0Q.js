import{i as e,n as t,t as n}from"./useListSearch-CPBOzUJY.js";import{r,t as i}from"./graphql-_m2Zo-_n.js";import{o as a,p as o,t as s}from"./main-C-oYntFE.js";import{n as c}from"./words-xOtjye_d.js";import{t as l}from"./Button-m-bjED01.js";import{t as u}from"./Empty-C1rdghAQ.js";import{t as d}from"./ErrorNotice-sWw4VwpZ.js";import{t as f}from"./Table-ZfZDCMPm.js";import{i as p,r as m}from"./columns-B5JFHK2I.js";import{n as h}from"./filters-C5S2TXQb.js";import{t as g}from"./link-Ds5uqn3o.js";import{t as _}from"./Money-BJQdbNw9.js";import{t as v}from"./Time-C7HI0Ii1.js";import{t as y}from"./formatPixKey-_RsrVEM4.js";import{a as b,l as x,o as S}from"./words-Y3Q7E-1K.js";import{r as C}from"./react-AyOTluXZ.js";var w=C(),T=[{label:S.entry,cell:e=>(0,w.jsx)(E,{entry:e})},{label:S.amount,align:`end`,cell:e=>(0,w.jsx)(_,{value:e.amount})},{label:S.at,cell:e=>(0,w.jsx)(v,{value:e.at})},{label:S.after,align:`end`,cell:e=>(0,w.jsx)(_,{value:e.balanceAfter})}];function E({entry:e}){let{charge:t,withdrawal:n,repayment:r}=e;return(0,w.jsxs)(w.Fragment,{children:[b[e.kind],` `,t&&(0,w.jsx)(g,{to:`/cobrancas/$id`,params:{id:t.id},children:t.customerName??t.description??S.charge}),n&&(0,w.jsx)(g,{to:`/saldo/saques/$id`,params:{id:n.id},children:y(n.pixKeyType,n.pixKey)}),r&&(0,w.jsx)(g,{to:`/saldo/repasses/$id`,params:{id:r.id},children:m(r.paidFrom,r.paidTo)})]})}var D=i(`
  query Statement($first: Int, $after: String, $from: DateTime, $to: DateTime) {
    statement(first: $first, after: $after, from: $from, to: $to) {
      pageInfo { endCursor hasNextPage }
      edges {
        cursor
        node {
          at kind amount balanceAfter
          charge { id description customerName }
          withdrawal { id pixKey pixKeyType }
          repayment { id paidFrom paidTo }
        }
      }
    }
  }
`);function O(){let[i,m]=n(),g=e({queryKey:[`balance`,`statement`,i],queryFn:async({pageParam:e,signal:t})=>{let n={first:50,after:e,from:i.from??null,to:i.to??null};return a((await r(D,n,{signal:t})).statement)},initialPageParam:null,getNextPageParam:({pageInfo:e})=>e.hasNextPage?e.endCursor??null:null}),_=g.data?.pages.flatMap(({edges:e})=>e.map(({cursor:e,node:t})=>({id:e,...t})));return(0,w.jsxs)(w.Fragment,{children:[(0,w.jsx)(p,{}),(0,w.jsx)(o,{title:S.title}),(0,w.jsx)(t,{search:i,onSearch:m,filters:h,tools:(0,w.jsx)(l,{look:`plain`,onClick:()=>window.print(),children:x.print})}),g.isPending&&(0,w.jsx)(s,{lines:6}),g.error&&(0,w.jsx)(d,{error:g.error,onRetry:g.refetch}),_?.length===0&&(0,w.jsx)(u,{title:S.empty}),_&&_.length>0&&(0,w.jsx)(f,{caption:S.title,columns:T,rows:_}),g.hasNextPage&&(0,w.jsx)(l,{look:`plain`,busy:g.isFetchingNextPage,onClick:()=>void g.fetchNextPage(),children:c.more})]})}export{O as StatementPage};