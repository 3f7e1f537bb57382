import{r as e,t}from"./graphql-_m2Zo-_n.js";import{d as n,o as r}from"./main-C-oYntFE.js";import{n as i,r as a}from"./ListPage-CMQvye-T.js";import{t as o}from"./queries-_SQB2jpZ.js";import{t as s}from"./useListSearch-CPBOzUJY.js";import{t as c}from"./options-1LbvaZw0.js";import{i as l,t as u}from"./columns-B5JFHK2I.js";import{t as d}from"./filters-C5S2TXQb.js";import{i as f,r as p,t as m}from"./words-Y3Q7E-1K.js";import{r as h}from"./react-AyOTluXZ.js";var g=h(),_=t(`
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
`);function y(){let t=o(),[h,y]=s(),b={filter:n(h,d)},x=a([`balance`,`repayments`,h],async(t,n)=>{let i={first:25,after:t,...b};return r((await e(_,i,{signal:n})).receivedRepayments)});return(0,g.jsxs)(g.Fragment,{children:[(0,g.jsx)(l,{}),(0,g.jsx)(i,{title:f.title,search:h,onSearch:y,tabs:{name:`status`,label:f.status,options:c(p)},filters:d,list:x,columns:u,onExport:t(`exportReceivedRepayments`)&&(async t=>r((await e(v,{...b,format:t})).exportReceivedRepayments)),empty:{title:m.noRepayments,children:(0,g.jsx)(`p`,{children:m.noRepaymentsLead})}})]})}export{y as RepaymentsPage};