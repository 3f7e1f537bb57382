import{R as e,o as t}from"./main-C-oYntFE.js";import{r as n,t as r}from"./graphql-_m2Zo-_n.js";import{s as i}from"./session-DgvNlEcf.js";var a=r(`
  mutation ChooseEnvironment($input: ChooseEnvironmentInput!) {
    chooseEnvironment(input: $input) { accessToken environment user { id } }
  }
`);function o(){let r=e();return async e=>{let{chooseEnvironment:o}=await n(a,{input:{environment:e}});i(t(o)),r.resetQueries()}}export{o as t};