import{t as e}from"./queryOptions-C9DoWxj0.js";import{a as t,r as n}from"./request-QLMvDYM1.js";import{t as r}from"./present-C6ZMvN9P.js";var i=15e3,a=2e3,o=t(`
  query WebhookEndpoint($id: ID!) {
    webhookEndpoint(id: $id) {
      id name url environment events version secretPreview previousSecretUntil active disabledReason disabledAt expiresAt
      createdAt
      health { lastSuccessAt lastAttemptAt firstFailureAt consecutiveFailures delivered24h failed24h }
    }
  }
`),s=t=>e({queryKey:[`webhooks`,t],queryFn:async({signal:e})=>r((await n(o,{id:t},{signal:e})).webhookEndpoint),refetchInterval:i}),c=t(`
  query WebhookEvents { webhookEvents { event description } }
`),l=e({queryKey:[`webhook events`],queryFn:async({signal:e})=>r((await n(c,{},{signal:e})).webhookEvents),staleTime:1/0}),u=t(`
  query WebhookDelivery($endpointId: ID!, $deliveryId: ID!) {
    webhookDelivery(endpointId: $endpointId, deliveryId: $deliveryId) {
      id endpointId eventId event resourceId test status nextAttemptAt lastStatus lastError canceledReason createdAt finishedAt
      attemptsCount payload requestHeaders
      attempts { number startedAt durationMs address status errorCode requestHeaders responseHeaders response }
      endpoint { id name active secretPreview }
    }
  }
`),d=(t,o)=>e({queryKey:[`webhooks`,t,`delivery`,o],queryFn:async({signal:e})=>r((await n(u,{endpointId:t,deliveryId:o},{signal:e})).webhookDelivery),refetchInterval:({state:{data:e}})=>e?.status===`pending`?f(e)?a:i:!1});function f({status:e,nextAttemptAt:t}){return e===`pending`?!t||new Date(t).getTime()-Date.now()<a:!1}export{f as i,s as n,l as r,d as t};