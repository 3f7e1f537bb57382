import{n as e,t}from"./gql-CZjz-Uhh.js";import{bt as n,c as r,ft as i,h as a,ht as o,mt as s,ut as c}from"./main-B5CH1OM2.js";import{i as l,r as u,t as d}from"./useListSearch-CnSxP2GZ.js";import{r as f,t as p}from"./columns-CTvE8emb.js";import{r as m}from"./react-AyOTluXZ.js";var h=m(),g=t(`
  query ReceivedRepayments($first: Int, $after: String, $filter: ReceivedRepaymentFilter) {
    receivedRepayments(first: $first, after: $after, filter: $filter) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id status netAmount chargesCount paidFrom paidTo } }
    }
  }
`);function _(){let[t,m]=d(),_=l([`balance`,`repayments`,t],async(r,i)=>{let o={first:25,after:r,filter:n(t,c)};return a((await e(g,o,{signal:i})).receivedRepayments)});return(0,h.jsxs)(h.Fragment,{children:[(0,h.jsx)(f,{}),(0,h.jsx)(u,{title:o.title,search:t,onSearch:m,tabs:{name:`status`,label:o.status,options:r(s)},filters:c,list:_,columns:p,empty:{title:i.noRepayments,children:(0,h.jsx)(`p`,{children:i.noRepaymentsLead})}})]})}export{_ as RepaymentsPage};