import{Jt as e,h as t}from"./main-B5CH1OM2.js";import{l as n,n as r,t as i}from"./gql-CZjz-Uhh.js";var a=i(`
  mutation ChooseEnvironment($input: ChooseEnvironmentInput!) {
    chooseEnvironment(input: $input) { accessToken environment user { id } }
  }
`);function o(){let i=e();return async e=>{let{chooseEnvironment:o}=await r(a,{input:{environment:e}});n(t(o)),i.resetQueries()}}export{o as t};