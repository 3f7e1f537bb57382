import{F as e}from"./main-CowkV4CN.js";import{r as t,t as n}from"./graphql-_m2Zo-_n.js";import{t as r}from"./present-DW0qiDls.js";import{s as i}from"./session-DgvNlEcf.js";var a=n(`
  mutation ChooseEnvironment($input: ChooseEnvironmentInput!) {
    chooseEnvironment(input: $input) { accessToken environment user { id } }
  }
`);function o(){let n=e();return async e=>{let{chooseEnvironment:o}=await t(a,{input:{environment:e}});i(r(o)),n.resetQueries()}}export{o as t};