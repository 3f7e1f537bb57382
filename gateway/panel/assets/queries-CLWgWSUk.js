import{t as e}from"./queryOptions-Dfvzj6n2.js";import{r as t,t as n}from"./graphql-_m2Zo-_n.js";import{o as r}from"./main-C-oYntFE.js";import{s as i}from"./format-Bq12a46f.js";var a=n(`
  query Product($id: ID!) {
    product(id: $id) {
      id name description price sku imageUrl active externalReference createdAt updatedAt paidCount paidAmount
      lastPaidAt
    }
  }
`),o=n=>e({queryKey:[`products`,`one`,n],queryFn:async({signal:e})=>r((await t(a,{id:n},{signal:e})).product)}),s=e=>Promise.all([e.invalidateQueries({queryKey:[`products`]}),e.invalidateQueries({queryKey:[`links`]})]),c=n(`
  mutation UpdateProduct($input: UpdateProductInput!) { updateProduct(input: $input) { id } }
`),l=n(`
  query FindProducts($q: String) {
    products(first: 20, filter: { q: $q, status: active }, order: name_asc) { edges { node { id name description price } } }
  }
`),u=({id:e,name:t,price:n,description:r=null})=>({value:e,label:t,detail:i(n),price:n,description:r});async function d(e,n){let{products:i}=await t(l,{q:e||null},{signal:n});return r(i).edges.map(e=>u(e.node))}export{s as a,o as i,d as n,u as r,c as t};