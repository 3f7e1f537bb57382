import{t as e}from"./queryOptions-D5kIdy4A.js";import{c as t,u as n}from"./main-Dx5VnZho.js";import{t as r}from"./present-D_1kSWmV.js";var i=15e3,a=2e3,o=n(`
  query WebhookEndpoint($id: ID!) {
    webhookEndpoint(id: $id) {
      id name url environment events version secretPreview previousSecretUntil active disabledReason disabledAt expiresAt
      createdAt
      health { lastSuccessAt lastAttemptAt firstFailureAt consecutiveFailures delivered24h failed24h }
    }
  }
`),s=n=>e({queryKey:[`webhooks`,n],queryFn:async({signal:e})=>r((await t(o,{id:n},{signal:e})).webhookEndpoint),refetchInterval:i}),c=n(`
  query WebhookEvents { webhookEvents { event description } }
`),l=e({queryKey:[`webhook events`],queryFn:async({signal:e})=>r((await t(c,{},{signal:e})).webhookEvents),staleTime:1/0}),u=n(`
  query WebhookDelivery($endpointId: ID!, $deliveryId: ID!) {
    webhookDelivery(endpointId: $endpointId, deliveryId: $deliveryId) {
      id endpointId eventId event resourceId test status nextAttemptAt lastStatus lastError canceledReason createdAt finishedAt
      attemptsCount payload requestHeaders
      attempts { number startedAt durationMs address status errorCode requestHeaders responseHeaders response }
      endpoint { id name active secretPreview }
    }
  }
`),d=(n,o)=>e({queryKey:[`webhooks`,n,`delivery`,o],queryFn:async({signal:e})=>r((await t(u,{endpointId:n,deliveryId:o},{signal:e})).webhookDelivery),refetchInterval:({state:{data:e}})=>e?.status===`pending`?f(e)?a:i:!1});function f({status:e,nextAttemptAt:t}){return e===`pending`?!t||new Date(t).getTime()-Date.now()<a:!1}export{f as i,s as n,l as r,d as t};