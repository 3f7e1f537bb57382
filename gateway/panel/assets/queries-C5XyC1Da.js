import{t as e}from"./queryOptions-C9DoWxj0.js";import{a as t,r as n}from"./request-QLMvDYM1.js";import{t as r}from"./present-C6ZMvN9P.js";import{S as i}from"./format-otRkt6Kn.js";var a=t(`
  query Customer($id: ID!) {
    customer(id: $id) { id name email cpf phone createdAt updatedAt paidCount paidAmount lastPaidAt }
  }
`),o=t=>e({queryKey:[`customers`,`one`,t],queryFn:async({signal:e})=>r((await n(a,{id:t},{signal:e})).customer)}),s=t(`
  mutation UpdateCustomer($input: UpdateCustomerInput!) { updateCustomer(input: $input) { id } }
`),c=t(`
  query FindCustomers($q: String) {
    customers(first: 20, filter: { q: $q }, order: name_asc) { edges { node { id name email cpf phone } } }
  }
`),l=e=>({value:e.id,label:e.name,detail:e.email??(e.cpf?i(e.cpf):void 0),customer:e});async function u(e,t){let{customers:i}=await n(c,{q:e||null},{signal:t});return r(i).edges.map(e=>l(e.node))}var d={of:`customers`,find:u,read:async(e,t)=>l(r((await n(a,{id:e},{signal:t})).customer))};export{u as a,d as i,l as n,o as r,s as t};