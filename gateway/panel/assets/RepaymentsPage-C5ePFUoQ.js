import{r as e,t}from"./graphql-_m2Zo-_n.js";import{t as n}from"./present-DW0qiDls.js";import{n as r,r as i}from"./ListPage-BiCtHRZ7.js";import{t as a}from"./queries-mDr1dz_V.js";import{a as o,t as s}from"./useListSearch-DoeM6H5_.js";import{t as c}from"./options-1LbvaZw0.js";import{t as l}from"./BalanceNav-BQvNoWDC.js";import{t as u}from"./columns-B48VCqEj.js";import{t as d}from"./filters-B4MBacNh.js";import{i as f,r as p,t as m}from"./words-B1KrUett.js";import{r as h}from"./react-AyOTluXZ.js";var g=h(),_=t(`
  query ReceivedRepayments($first: Int, $after: String, $filter: ReceivedRepaymentFilter) {
    receivedRepayments(first: $first, after: $after, filter: $filter) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id status netAmount chargesCount paidFrom paidTo } }
    }
  }
`),v=t(`
  mutation ExportReceivedRepayments($filter: ReceivedRepaymentFilter, $format: ExportFormat!) {
    exportReceivedRepayments(filter: $filter, format: $format) { url }
  }
`);function y(){let t=a(),[h,y]=s(),b={filter:o(h,d)},x=i([`balance`,`repayments`,h],async(t,r)=>{let i={first:25,after:t,...b};return n((await e(_,i,{signal:r})).receivedRepayments)});return(0,g.jsxs)(g.Fragment,{children:[(0,g.jsx)(l,{}),(0,g.jsx)(r,{title:f.title,search:h,onSearch:y,tabs:{name:`status`,label:f.status,options:c(p)},filters:d,list:x,columns:u,onExport:t(`exportReceivedRepayments`)&&(async t=>n((await e(v,{...b,format:t})).exportReceivedRepayments)),empty:{title:m.noRepayments,children:(0,g.jsx)(`p`,{children:m.noRepaymentsLead})}})]})}export{y as RepaymentsPage};