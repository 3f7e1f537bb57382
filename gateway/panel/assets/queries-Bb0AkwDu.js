import{t as e}from"./queryOptions-D5kIdy4A.js";import{c as t,u as n}from"./main-Dx5VnZho.js";import{t as r}from"./present-D_1kSWmV.js";import{s as i}from"./format-otRkt6Kn.js";var a=n(`
  query Product($id: ID!) {
    product(id: $id) {
      id name description price sku imageUrl active externalReference createdAt updatedAt paidCount paidAmount
      lastPaidAt
    }
  }
`),o=n=>e({queryKey:[`products`,`one`,n],queryFn:async({signal:e})=>r((await t(a,{id:n},{signal:e})).product)}),s=e=>Promise.all([e.invalidateQueries({queryKey:[`products`]}),e.invalidateQueries({queryKey:[`links`]})]),c=n(`
  mutation UpdateProduct($input: UpdateProductInput!) { updateProduct(input: $input) { id } }
`),l=n(`
  query FindProducts($q: String, $status: ProductStatus) {
    products(first: 20, filter: { q: $q, status: $status }, order: name_asc) { edges { node { id name description price } } }
  }
`),u=({id:e,name:t,price:n,description:r=null})=>({value:e,label:t,detail:i(n),price:n,description:r}),d=(e,t)=>p(e,`active`,t),f={of:`all products`,find:(e,t)=>p(e,null,t),read:async(e,n)=>u(r((await t(a,{id:e},{signal:n})).product))};async function p(e,n,i){let{products:a}=await t(l,{q:e||null,status:n},{signal:i});return r(a).edges.map(e=>u(e.node))}export{f as a,o as i,d as n,s as o,u as r,c as t};