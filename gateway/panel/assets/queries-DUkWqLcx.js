import{t as e}from"./queryOptions-D5kIdy4A.js";import{c as t,u as n}from"./main-Dx5VnZho.js";import{t as r}from"./present-D_1kSWmV.js";import{S as i}from"./format-otRkt6Kn.js";var a=n(`
  query Customer($id: ID!) {
    customer(id: $id) { id name email cpf phone createdAt updatedAt paidCount paidAmount lastPaidAt }
  }
`),o=n=>e({queryKey:[`customers`,`one`,n],queryFn:async({signal:e})=>r((await t(a,{id:n},{signal:e})).customer)}),s=n(`
  mutation UpdateCustomer($input: UpdateCustomerInput!) { updateCustomer(input: $input) { id } }
`),c=n(`
  query FindCustomers($q: String) {
    customers(first: 20, filter: { q: $q }, order: name_asc) { edges { node { id name email cpf phone } } }
  }
`),l=e=>({value:e.id,label:e.name,detail:e.email??(e.cpf?i(e.cpf):void 0),customer:e});async function u(e,n){let{customers:i}=await t(c,{q:e||null},{signal:n});return r(i).edges.map(e=>l(e.node))}var d={of:`customers`,find:u,read:async(e,n)=>l(r((await t(a,{id:e},{signal:n})).customer))};export{u as a,d as i,l as n,o as r,s as t};