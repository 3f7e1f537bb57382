import{c as e,u as t}from"./main-Dx5VnZho.js";import{t as n}from"./present-D_1kSWmV.js";import{t as r}from"./secrets-LHpkqeue.js";var i=t(`
  mutation UpdateWebhookEndpoint($input: UpdateWebhookEndpointInput!) { updateWebhookEndpoint(input: $input) { id } }
`),a=t(`
  mutation OpenTestReceiver { openTestReceiver { id secret } }
`),o=t=>e(i,{input:t}),s=(e,t)=>o({id:e,active:t});async function c(t){let i=n((await e(a,{},{idempotencyKey:t})).openTestReceiver);return r(i.id,i.secret),i}export{s as n,o as r,c as t};