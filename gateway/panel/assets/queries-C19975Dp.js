import{A as e,S as t}from"./format-Bn0KZV_R.js";import{a as n,r}from"./request-CmBGbJcL.js";import{t as i}from"./present-8JMv9I8t.js";var a=n(`
  query Customer($id: ID!) {
    customer(id: $id) { id name email cpf phone createdAt updatedAt paidCount paidAmount lastPaidAt }
  }
`),o=t=>e({queryKey:[`customers`,`one`,t],queryFn:async({signal:e})=>i((await r(a,{id:t},{signal:e})).customer)}),s=n(`
  mutation UpdateCustomer($input: UpdateCustomerInput!) { updateCustomer(input: $input) { id } }
`),c=n(`
  query FindCustomers($q: String) {
    customers(first: 20, filter: { q: $q }, order: name_asc) { edges { node { id name email cpf } } }
  }
`),l=({id:e,name:n,email:r,cpf:i})=>({value:e,label:n,detail:r??(i?t(i):void 0)});async function u(e,t){let{customers:n}=await r(c,{q:e||null},{signal:t});return i(n).edges.map(e=>l(e.node))}export{u as i,l as n,o as r,s as t};