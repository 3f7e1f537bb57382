import{c as e,u as t}from"./main-Dx5VnZho.js";import{t as n}from"./present-D_1kSWmV.js";import{n as r,r as i}from"./ListPage-C07TwWMy.js";import{t as a}from"./queries-DI6QXjMn.js";import{o,s,t as c}from"./useListSearch-OGLVh2KM.js";import{t as l}from"./options-1LbvaZw0.js";import{t as u}from"./BalanceNav-DJzFlL62.js";import{t as d}from"./columns-Cp8Ezpur.js";import{t as f}from"./filters-CJqeq1Xe.js";import{a as p,i as m,r as h,t as g}from"./words-CCslPvIp.js";import{r as _}from"./react-AyOTluXZ.js";var v=_(),y=t(`
  query ReceivedRepayments($first: Int, $after: String, $filter: ReceivedRepaymentFilter) {
    receivedRepayments(first: $first, after: $after, filter: $filter) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id status netAmount chargesCount paidFrom paidTo } }
    }
  }
`),b=t(`
  mutation ExportReceivedRepayments($filter: ReceivedRepaymentFilter, $format: ExportFormat!, $columns: [ReceivedRepaymentColumn!]) {
    exportReceivedRepayments(filter: $filter, format: $format, columns: $columns) { url }
  }
`),x={tabs:{name:`status`,label:p.status,options:l(m)},filters:f};function S(){let t=a(),[l,m]=c(x),_={filter:o(l,f)},S=i([`balance`,`repayments`,l],async(t,r)=>{let i={first:25,after:t,..._};return n((await e(y,i,{signal:r})).receivedRepayments)});return(0,v.jsxs)(v.Fragment,{children:[(0,v.jsx)(u,{}),(0,v.jsx)(r,{title:p.title,search:l,onSearch:m,...x,list:S,columns:d,file:t(`exportReceivedRepayments`)&&s(h,async t=>n((await e(b,{..._,...t})).exportReceivedRepayments)),empty:{title:g.noRepayments,lead:g.noRepaymentsLead,docs:`grupo-repasses-manuais`}})]})}export{S as RepaymentsPage};