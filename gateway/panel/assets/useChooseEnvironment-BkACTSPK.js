import{L as e,o as t}from"./main-Dzt6kujY.js";import{l as n,n as r,t as i}from"./graphql-B7XjjIDb.js";var a=i(`
  mutation ChooseEnvironment($input: ChooseEnvironmentInput!) {
    chooseEnvironment(input: $input) { accessToken environment user { id } }
  }
`);function o(){let i=e();return async e=>{let{chooseEnvironment:o}=await r(a,{input:{environment:e}});n(t(o)),i.resetQueries()}}export{o as t};