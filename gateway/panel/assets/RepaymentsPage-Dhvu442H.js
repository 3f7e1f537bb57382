import{a as e,r as t}from"./request-CmBGbJcL.js";import{t as n}from"./present-lGORn0O1.js";import{n as r,r as i}from"./ListPage-10yrSQOp.js";import{t as a}from"./queries-BxhiX8HR.js";import{o,t as s}from"./useListSearch-DbyWkPU4.js";import{t as c}from"./options-1LbvaZw0.js";import{t as l}from"./BalanceNav-BQvNoWDC.js";import{t as u}from"./columns-DCbzWnY1.js";import{t as d}from"./filters-B4MBacNh.js";import{i as f,r as p,t as m}from"./words-B1KrUett.js";import{r as h}from"./react-AyOTluXZ.js";var g=h(),_=e(`
  query ReceivedRepayments($first: Int, $after: String, $filter: ReceivedRepaymentFilter) {
    receivedRepayments(first: $first, after: $after, filter: $filter) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id status netAmount chargesCount paidFrom paidTo } }
    }
  }
`),v=e(`
  mutation ExportReceivedRepayments($filter: ReceivedRepaymentFilter, $format: ExportFormat!) {
    exportReceivedRepayments(filter: $filter, format: $format) { url }
  }
`),y={tabs:{name:`status`,label:f.status,options:c(p)},filters:d};function b(){let e=a(),[c,p]=s(y),h={filter:o(c,d)},b=i([`balance`,`repayments`,c],async(e,r)=>{let i={first:25,after:e,...h};return n((await t(_,i,{signal:r})).receivedRepayments)});return(0,g.jsxs)(g.Fragment,{children:[(0,g.jsx)(l,{}),(0,g.jsx)(r,{title:f.title,search:c,onSearch:p,...y,list:b,columns:u,onExport:e(`exportReceivedRepayments`)&&(async e=>n((await t(v,{...h,format:e})).exportReceivedRepayments)),empty:{title:m.noRepayments,children:(0,g.jsx)(`p`,{children:m.noRepaymentsLead})}})]})}export{b as RepaymentsPage};