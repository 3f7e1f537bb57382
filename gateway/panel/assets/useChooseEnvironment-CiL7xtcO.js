import{n as e}from"./QueryClientProvider-ESQmhwNw.js";import{l as t,n,t as r}from"./graphql-BeLqpmMW.js";import{u as i}from"./main-BdWzo1GK.js";var a=r(`
  mutation ChooseEnvironment($input: ChooseEnvironmentInput!) {
    chooseEnvironment(input: $input) { accessToken environment user { id } }
  }
`);function o(){let r=e();return async e=>{let{chooseEnvironment:o}=await n(a,{input:{environment:e}});t(i(o)),r.resetQueries()}}export{o as t};