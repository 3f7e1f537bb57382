import{a as e,r as t}from"./request-QLMvDYM1.js";import{t as n}from"./present-C6ZMvN9P.js";import{t as r}from"./secrets-LHpkqeue.js";var i=e(`
  mutation UpdateWebhookEndpoint($input: UpdateWebhookEndpointInput!) { updateWebhookEndpoint(input: $input) { id } }
`),a=e(`
  mutation OpenTestReceiver { openTestReceiver { id secret } }
`),o=e=>t(i,{input:e}),s=(e,t)=>o({id:e,active:t});async function c(e){let i=n((await t(a,{},{idempotencyKey:e})).openTestReceiver);return r(i.id,i.secret),i}export{s as n,o as r,c as t};