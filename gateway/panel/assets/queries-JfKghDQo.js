import{t as e}from"./queryOptions-Dfvzj6n2.js";import{n as t,t as n}from"./gql-CZjz-Uhh.js";import{Y as r,h as i}from"./main-B5CH1OM2.js";var a=n(`
  query Customer($id: ID!) { customer(id: $id) { id name email cpf phone createdAt updatedAt } }
`),o=n=>e({queryKey:[`customers`,`one`,n],queryFn:async({signal:e})=>i((await t(a,{id:n},{signal:e})).customer)}),s=n(`
  mutation UpdateCustomer($input: UpdateCustomerInput!) { updateCustomer(input: $input) { id } }
`),c=n(`
  query FindCustomers($q: String) {
    customers(first: 20, filter: { q: $q }, order: name_asc) { edges { node { id name email cpf } } }
  }
`),l=({id:e,name:t,email:n,cpf:i})=>({value:e,label:t,detail:n??(i?r(i):void 0)});async function u(e,n){let{customers:r}=await t(c,{q:e||null},{signal:n});return i(r).edges.map(e=>l(e.node))}export{u as i,l as n,o as r,s as t};