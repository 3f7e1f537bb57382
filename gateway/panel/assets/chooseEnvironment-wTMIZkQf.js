import{W as e,c as t,u as n}from"./main-Dx5VnZho.js";import{t as r}from"./present-D_1kSWmV.js";import{t as i}from"./useRouter-M-wxbzty.js";import{l as a}from"./session-u4TcsYwU.js";function o(){let e=i();return async()=>{let t=e.state.matches.at(-1)?.fullPath??`/`,[n]=t.split(`/$`);n!==t&&await e.navigate({to:n||`/`,search:{}})}}var s=n(`
  mutation ChooseEnvironment($input: ChooseEnvironmentInput!) {
    chooseEnvironment(input: $input) { accessToken environment user { id } }
  }
`);async function c(e,n){return r((await t(s,{input:{environment:e}},n===void 0?{}:{token:n,keepLocked:!0})).chooseEnvironment)}function l(){let t=e(),n=o();return async e=>{let r=await c(e);await n(),a(r),t.resetQueries()}}export{l as n,o as r,c as t};