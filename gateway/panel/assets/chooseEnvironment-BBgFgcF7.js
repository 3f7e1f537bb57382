import{z as e}from"./main-DocYwmjR.js";import{a as t,r as n}from"./request-QLMvDYM1.js";import{t as r}from"./present-C6ZMvN9P.js";import{t as i}from"./useRouter-M-wxbzty.js";import{l as a}from"./session-u4TcsYwU.js";function o(){let e=i();return async()=>{let t=e.state.matches.at(-1)?.fullPath??`/`,[n]=t.split(`/$`);n!==t&&await e.navigate({to:n||`/`,search:{}})}}var s=t(`
  mutation ChooseEnvironment($input: ChooseEnvironmentInput!) {
    chooseEnvironment(input: $input) { accessToken environment user { id } }
  }
`);async function c(e,t){return r((await n(s,{input:{environment:e}},t===void 0?{}:{token:t,keepLocked:!0})).chooseEnvironment)}function l(){let t=e(),n=o();return async e=>{let r=await c(e);await n(),a(r),t.resetQueries()}}export{l as n,o as r,c as t};