import{t as e}from"./queryOptions-C9DoWxj0.js";import{a as t,r as n}from"./request-QLMvDYM1.js";import{t as r}from"./present-C6ZMvN9P.js";import{s as i}from"./format-otRkt6Kn.js";var a=t(`
  query Product($id: ID!) {
    product(id: $id) {
      id name description price sku imageUrl active externalReference createdAt updatedAt paidCount paidAmount
      lastPaidAt
    }
  }
`),o=t=>e({queryKey:[`products`,`one`,t],queryFn:async({signal:e})=>r((await n(a,{id:t},{signal:e})).product)}),s=e=>Promise.all([e.invalidateQueries({queryKey:[`products`]}),e.invalidateQueries({queryKey:[`links`]})]),c=t(`
  mutation UpdateProduct($input: UpdateProductInput!) { updateProduct(input: $input) { id } }
`),l=t(`
  query FindProducts($q: String, $status: ProductStatus) {
    products(first: 20, filter: { q: $q, status: $status }, order: name_asc) { edges { node { id name description price } } }
  }
`),u=({id:e,name:t,price:n,description:r=null})=>({value:e,label:t,detail:i(n),price:n,description:r}),d=(e,t)=>p(e,`active`,t),f={of:`all products`,find:(e,t)=>p(e,null,t),read:async(e,t)=>u(r((await n(a,{id:e},{signal:t})).product))};async function p(e,t,i){let{products:a}=await n(l,{q:e||null,status:t},{signal:i});return r(a).edges.map(e=>u(e.node))}export{f as a,o as i,d as n,s as o,u as r,c as t};