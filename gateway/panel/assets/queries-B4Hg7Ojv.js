import{t as e}from"./queryOptions-Dfvzj6n2.js";import{r as t,t as n}from"./graphql-_m2Zo-_n.js";import{o as r}from"./main-C-oYntFE.js";import{v as i}from"./format-Bq12a46f.js";var a=n(`
  query Customer($id: ID!) {
    customer(id: $id) { id name email cpf phone createdAt updatedAt paidCount paidAmount lastPaidAt }
  }
`),o=n=>e({queryKey:[`customers`,`one`,n],queryFn:async({signal:e})=>r((await t(a,{id:n},{signal:e})).customer)}),s=n(`
  mutation UpdateCustomer($input: UpdateCustomerInput!) { updateCustomer(input: $input) { id } }
`),c=n(`
  query FindCustomers($q: String) {
    customers(first: 20, filter: { q: $q }, order: name_asc) { edges { node { id name email cpf } } }
  }
`),l=({id:e,name:t,email:n,cpf:r})=>({value:e,label:t,detail:n??(r?i(r):void 0)});async function u(e,n){let{customers:i}=await t(c,{q:e||null},{signal:n});return r(i).edges.map(e=>l(e.node))}export{u as i,l as n,o as r,s as t};