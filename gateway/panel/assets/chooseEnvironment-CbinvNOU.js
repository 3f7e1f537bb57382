import{z as e}from"./main-DDuHHGAz.js";import{a as t,r as n}from"./request-BUwCbifv.js";import{t as r}from"./present-CTrV3vlx.js";import{l as i}from"./session-BsBYVsRd.js";var a=t(`
  mutation ChooseEnvironment($input: ChooseEnvironmentInput!) {
    chooseEnvironment(input: $input) { accessToken environment user { id } }
  }
`);async function o(e,t){return r((await n(a,{input:{environment:e}},t===void 0?{}:{token:t,keepLocked:!0})).chooseEnvironment)}function s(){let t=e();return async e=>{i(await o(e)),t.resetQueries()}}export{s as n,o as t};