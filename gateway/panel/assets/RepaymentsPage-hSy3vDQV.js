import{r as e,t}from"./graphql-_m2Zo-_n.js";import{d as n,o as r}from"./main-DCDhcY0C.js";import{n as i,r as a}from"./ListPage-sFWL6iYV.js";import{t as o}from"./useListSearch-ChwcvBjU.js";import{t as s}from"./options-1LbvaZw0.js";import{i as c,t as l}from"./columns-B5JFHK2I.js";import{t as u}from"./filters-C5S2TXQb.js";import{i as d,r as f,t as p}from"./words-Y3Q7E-1K.js";import{r as m}from"./react-AyOTluXZ.js";var h=m(),g=t(`
  query ReceivedRepayments($first: Int, $after: String, $filter: ReceivedRepaymentFilter) {
    receivedRepayments(first: $first, after: $after, filter: $filter) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id status netAmount chargesCount paidFrom paidTo } }
    }
  }
`);function _(){let[t,m]=o(),_=a([`balance`,`repayments`,t],async(i,a)=>{let o={first:25,after:i,filter:n(t,u)};return r((await e(g,o,{signal:a})).receivedRepayments)});return(0,h.jsxs)(h.Fragment,{children:[(0,h.jsx)(c,{}),(0,h.jsx)(i,{title:d.title,search:t,onSearch:m,tabs:{name:`status`,label:d.status,options:s(f)},filters:u,list:_,columns:l,empty:{title:p.noRepayments,children:(0,h.jsx)(`p`,{children:p.noRepaymentsLead})}})]})}export{_ as RepaymentsPage};