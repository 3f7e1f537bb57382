import{F as e}from"./main-AWs59IKW.js";import{a as t,r as n}from"./request-eTEQKKct.js";import{t as r}from"./present-Cj-OwiZ-.js";import{s as i}from"./session-DgvNlEcf.js";var a=t(`
  mutation ChooseEnvironment($input: ChooseEnvironmentInput!) {
    chooseEnvironment(input: $input) { accessToken environment user { id } }
  }
`);function o(){let t=e();return async e=>{let{chooseEnvironment:o}=await n(a,{input:{environment:e}});i(r(o)),t.resetQueries()}}export{o as t};