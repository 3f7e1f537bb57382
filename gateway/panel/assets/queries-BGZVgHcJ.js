import{A as e,S as t}from"./format-Bn0KZV_R.js";import{a as n,r}from"./request-CmBGbJcL.js";import{t as i}from"./present-CmSYEtVt.js";var a=n(`
  query Customer($id: ID!) {
    customer(id: $id) { id name email cpf phone createdAt updatedAt paidCount paidAmount lastPaidAt }
  }
`),o=t=>e({queryKey:[`customers`,`one`,t],queryFn:async({signal:e})=>i((await r(a,{id:t},{signal:e})).customer)}),s=n(`
  mutation UpdateCustomer($input: UpdateCustomerInput!) { updateCustomer(input: $input) { id } }
`),c=n(`
  query FindCustomers($q: String) {
    customers(first: 20, filter: { q: $q }, order: name_asc) { edges { node { id name email cpf phone } } }
  }
`),l=e=>({value:e.id,label:e.name,detail:e.email??(e.cpf?t(e.cpf):void 0),customer:e});async function u(e,t){let{customers:n}=await r(c,{q:e||null},{signal:t});return i(n).edges.map(e=>l(e.node))}var d={of:`customers`,find:u,read:async(e,t)=>l(i((await r(a,{id:e},{signal:t})).customer))};export{u as a,d as i,l as n,o as r,s as t};