import{R as e}from"./main-BaFIqrNm.js";import{a as t,r as n}from"./request-CmBGbJcL.js";import{t as r}from"./present-CmSYEtVt.js";import{c as i}from"./session-70aZzD7Z.js";var a=t(`
  mutation ChooseEnvironment($input: ChooseEnvironmentInput!) {
    chooseEnvironment(input: $input) { accessToken environment user { id } }
  }
`);async function o(e,t){return r((await n(a,{input:{environment:e}},t===void 0?{}:{token:t,keepLocked:!0})).chooseEnvironment)}function s(){let t=e();return async e=>{i(await o(e)),t.resetQueries()}}export{s as n,o as t};