import{R as e,o as t}from"./main-CAiA7BHJ.js";import{d as n,r,t as i}from"./graphql-CVtXTRW4.js";var a=i(`
  mutation ChooseEnvironment($input: ChooseEnvironmentInput!) {
    chooseEnvironment(input: $input) { accessToken environment user { id } }
  }
`);function o(){let i=e();return async e=>{let{chooseEnvironment:o}=await r(a,{input:{environment:e}});n(t(o)),i.resetQueries()}}export{o as t};