import{n as e}from"./rolldown-runtime-WkwZ5CU-.js";import{Jt as t,Tt as n,U as r,m as i,u as a,xt as o}from"./main-B5CH1OM2.js";import{t as s}from"./useSuspenseQuery-e3Rq5q7Z.js";import{g as c,n as l,t as u}from"./gql-CZjz-Uhh.js";import{t as d}from"./useIdempotencyKey-6ClD0PGe.js";import{t as f}from"./queries-CChtE3VT.js";import{i as p}from"./pt-BR-BHQIgAHB.js";import{t as m}from"./Card-DiKHYEh0.js";import{t as h}from"./Facts-BdpPhZyH.js";import{t as g}from"./Notice-BGaPGuPv.js";import{t as _}from"./Page-CjiGpnne.js";import{t as v}from"./Time-BQXZx8sM.js";import{t as y}from"./Code-Dco25DxH.js";import{t as b}from"./Disclosure-CUUB0eWj.js";import{n as x,s as S,t as C}from"./words-DgNClv_e.js";import{i as w,r as T}from"./react-AyOTluXZ.js";import{n as E,r as D}from"./Deliveries-B9eO4Gd-.js";import{t as O}from"./Payload-CKo6nIND.js";import{i as k,t as A}from"./queries-B1efxIYG.js";import{t as j}from"./ResourceLink-DMdpi6LZ.js";import{t as M}from"./Choice-DSIH_JhF.js";import{n as N}from"./TextField.module-KEVMnGHU.js";import{t as P}from"./Status-Cae2GInu.js";var F={attempts:`_attempts_1jm3i_1`,content:`_content_1jm3i_11`};async function I(e,t,n){let r=R(t),i=`${r(`webhook-id`)}.${r(`webhook-timestamp`)}.${n}`,a=B(e.slice(6)),o=a&&`v1,${btoa(String.fromCharCode(...await z(a,i)))}`,s=V(await z(new TextEncoder().encode(e),n));return{standard:o!==null&&r(`webhook-signature`).split(` `).includes(o),simple:r(`x-service-signature`)===s}}function L(e){return typeof e!=`object`||!e?{}:Object.fromEntries(Object.entries(e).map(([e,t])=>[e,String(t)]))}function R(e){let t=new Map(Object.entries(e).map(([e,t])=>[e.toLowerCase(),t]));return e=>t.get(e)??``}async function z(e,t){let n=await crypto.subtle.importKey(`raw`,e,{name:`HMAC`,hash:`SHA-256`},!1,[`sign`]);return new Uint8Array(await crypto.subtle.sign(`HMAC`,n,new TextEncoder().encode(t)))}function B(e){return!/^[A-Za-z0-9+/]+={0,2}$/.test(e)||e.replace(/=+$/,``).length%4==1?null:Uint8Array.from(atob(e),e=>e.charCodeAt(0))}var V=e=>Array.from(e,e=>e.toString(16).padStart(2,`0`)).join(``),H=T();function U({attempts:e}){return e.length===0?(0,H.jsx)(`p`,{children:S.attemptsNone}):(0,H.jsx)(`ol`,{className:F.attempts,children:e.map(e=>(0,H.jsx)(`li`,{children:(0,H.jsxs)(b,{label:G(e),children:[(0,H.jsx)(W,{title:S.sentHeaders,text:K(e.requestHeaders)}),(0,H.jsx)(W,{title:S.answerHeaders,text:K(e.responseHeaders)}),(0,H.jsx)(W,{title:S.answerBody,text:e.response??``})]})},e.number))})}function W({title:e,text:t}){return t?(0,H.jsxs)(`div`,{className:F.content,children:[(0,H.jsx)(`h3`,{children:e}),(0,H.jsx)(y,{text:t})]}):null}function G({number:e,startedAt:t,durationMs:n,address:i,status:a,errorCode:o}){return[S.attempt(e),r(t),a??S.noAnswer,S.milliseconds(n),i,o&&(C[o]??o)].filter(Boolean).join(` · `)}var K=e=>Object.entries(L(e)).map(([e,t])=>`${e}: ${t}`).join(`
`),q=e(w(),1),J={node:`import { createHmac, timingSafeEqual } from "node:crypto";

function same(received, expected) {
  const [a, b] = [Buffer.from(received ?? ""), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

export function isGenuine(secret, headers, body) {
  const timestamp = headers["webhook-timestamp"];
  if (!(Math.abs(Date.now() / 1000 - timestamp) <= 300)) return false;
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const message = Buffer.concat([Buffer.from(\`\${headers["webhook-id"]}.\${timestamp}.\`), body]);
  const expected = "v1," + createHmac("sha256", key).update(message).digest("base64");
  return (headers["webhook-signature"] ?? "").split(" ").some((signature) => same(signature, expected));
}`,python:`from standardwebhooks import Webhook


def event_of(secret: str, body: bytes, headers: dict[str, str]) -> object:
    return Webhook(secret).verify(body, headers)`,php:`function is_genuine(string $secret, array $headers, string $body): bool
{
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $message = ($headers['webhook-id'] ?? '') . '.' . $timestamp . '.' . $body;
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $message, $key, true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}`};function Y({delivery:e}){let[t,n]=(0,q.useState)(null),r=L(e.requestHeaders),i=Object.keys(r).length>0&&isSecureContext;async function o({secret:t=``}){n(await I(t.trim(),r,e.payload))}return(0,H.jsxs)(m,{title:S.signature,children:[i&&(0,H.jsxs)(H.Fragment,{children:[(0,H.jsx)(`p`,{children:S.signatureLead(`${e.endpoint?.secretPreview??`whsec_`}…`)}),(0,H.jsx)(N,{submit:S.check,onSubmit:o,children:(0,H.jsx)(a,{name:`secret`,label:S.signatureSecret,autoComplete:`off`,spellCheck:!1,onValueChange:()=>n(null),required:!0})})]}),!i&&(0,H.jsx)(`p`,{children:isSecureContext?S.noSignature:S.insecure}),(0,H.jsx)(`div`,{role:`status`,children:t&&(0,H.jsx)(X,{...t})}),(0,H.jsx)($,{})]})}function X({standard:e,simple:t}){return(0,H.jsx)(h,{facts:[{term:`webhook-signature`,value:(0,H.jsx)(Z,{matches:e})},{term:`X-Service-Signature`,value:(0,H.jsx)(Z,{matches:t})}]})}function Z({matches:e}){return e?(0,H.jsx)(P,{tone:`good`,children:S.matches}):(0,H.jsx)(P,{tone:`bad`,children:S.differs})}var Q=[{value:`node`,label:`Node`},{value:`python`,label:`Python`},{value:`php`,label:`PHP`}];function $(){let[e,t]=(0,q.useState)(`node`);return(0,H.jsxs)(b,{label:S.verify,children:[(0,H.jsx)(M,{label:S.language,value:e,options:Q,onChange:t}),(0,H.jsx)(y,{text:J[e]})]})}var ee=u(`
  mutation RedeliverWebhook($endpointId: ID!, $deliveryId: ID!) {
    redeliverWebhook(endpointId: $endpointId, deliveryId: $deliveryId) { id }
  }
`);function te(){let{id:e,deliveryId:t}=n({from:`/frame/dev/webhooks/$id/entregas/$deliveryId`}),{data:r}=s(A(e,t));return(0,H.jsxs)(_,{back:(0,H.jsx)(c,{to:`/dev/webhooks/$id`,params:{id:e},search:{},children:r.endpoint?.name??S.endpoint}),heading:(0,H.jsx)(o,{title:`${S.delivery} · ${r.event}`}),status:(0,H.jsx)(D,{status:r.status}),actions:(0,H.jsx)(re,{endpointId:e,delivery:r}),aside:(0,H.jsx)(Y,{delivery:r}),children:[r.canceledReason&&(0,H.jsx)(g,{kind:`info`,children:x[r.canceledReason]}),(0,H.jsx)(m,{title:S.details,children:(0,H.jsx)(h,{facts:ne(r)})}),(0,H.jsx)(m,{title:S.attempts,children:(0,H.jsx)(U,{attempts:r.attempts})}),(0,H.jsx)(m,{title:S.payload,children:(0,H.jsx)(O,{text:r.payload})})]})}function ne(e){let{lastError:t}=e;return[{term:S.answer,value:(0,H.jsx)(E,{...e})},{term:S.status,value:t&&(C[t]??t)},{term:S.event,value:(0,H.jsx)(c,{to:`/dev/eventos/$id`,params:{id:e.eventId},children:e.eventId})},{term:S.resourceId,value:e.resourceId&&(0,H.jsx)(j,{...e})},{term:S.deliveryId,value:e.id},{term:S.occurred,value:(0,H.jsx)(v,{value:e.createdAt})},{term:S.finished,value:e.finishedAt&&(0,H.jsx)(v,{value:e.finishedAt})}]}function re({endpointId:e,delivery:n}){let r=f(),a=t(),o=d(),{id:s,status:c,attemptsCount:u,endpoint:m}=n;if(!r(`redeliverWebhook`)||!m)return null;if(!m.active)return(0,H.jsx)(`p`,{children:S.redeliverInactive});if(k(n))return(0,H.jsx)(p,{look:`plain`,busy:!0,children:S.underWay});async function h(){await l(ee,{endpointId:e,deliveryId:s},{idempotencyKey:o({status:c,attemptsCount:u})}),await a.invalidateQueries({queryKey:[`webhooks`,e]})}return(0,H.jsx)(i,{label:c===`pending`?S.retryNow:S.redeliver,onAct:h})}export{te as DeliveryPage};