import{A as e,s as t}from"./format-Bn0KZV_R.js";import{a as n,r}from"./request-CmBGbJcL.js";import{t as i}from"./present-CmSYEtVt.js";var a=n(`
  query Product($id: ID!) {
    product(id: $id) {
      id name description price sku imageUrl active externalReference createdAt updatedAt paidCount paidAmount
      lastPaidAt
    }
  }
`),o=t=>e({queryKey:[`products`,`one`,t],queryFn:async({signal:e})=>i((await r(a,{id:t},{signal:e})).product)}),s=e=>Promise.all([e.invalidateQueries({queryKey:[`products`]}),e.invalidateQueries({queryKey:[`links`]})]),c=n(`
  mutation UpdateProduct($input: UpdateProductInput!) { updateProduct(input: $input) { id } }
`),l=n(`
  query FindProducts($q: String, $status: ProductStatus) {
    products(first: 20, filter: { q: $q, status: $status }, order: name_asc) { edges { node { id name description price } } }
  }
`),u=({id:e,name:n,price:r,description:i=null})=>({value:e,label:n,detail:t(r),price:r,description:i}),d=(e,t)=>p(e,`active`,t),f={of:`all products`,find:(e,t)=>p(e,null,t),read:async(e,t)=>u(i((await r(a,{id:e},{signal:t})).product))};async function p(e,t,n){let{products:a}=await r(l,{q:e||null,status:t},{signal:n});return i(a).edges.map(e=>u(e.node))}export{f as a,o as i,d as n,s as o,u as r,c as t};