import{t as e}from"./queryOptions-Dfvzj6n2.js";import{n as t,t as n}from"./gql-CZjz-Uhh.js";import{R as r,h as i}from"./main-B5CH1OM2.js";var a=n(`
  query Product($id: ID!) {
    product(id: $id) {
      id name description price sku imageUrl active externalReference metadata createdAt updatedAt
    }
  }
`),o=n=>e({queryKey:[`products`,`one`,n],queryFn:async({signal:e})=>i((await t(a,{id:n},{signal:e})).product)}),s=n(`
  mutation UpdateProduct($input: UpdateProductInput!) { updateProduct(input: $input) { id } }
`),c=n(`
  query FindProducts($q: String) {
    products(first: 20, filter: { q: $q, status: active }, order: name_asc) { edges { node { id name description price } } }
  }
`),l=({id:e,name:t,price:n,description:i=null})=>({value:e,label:t,detail:r(n),price:n,description:i});async function u(e,n){let{products:r}=await t(c,{q:e||null},{signal:n});return i(r).edges.map(e=>l(e.node))}export{o as i,u as n,l as r,s as t};