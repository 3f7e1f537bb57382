import{t as e}from"./useQuery-DwweCm06.js";import{_ as t,b as n,c as r,u as i,x as a}from"./main-Dx5VnZho.js";import{t as o}from"./queries-DI6QXjMn.js";import{t as s}from"./useSession-DCtKGkpB.js";import{t as c}from"./Card-BFNbv43G.js";import{t as l}from"./Choice-DSIH_JhF.js";import{t as u}from"./Code-C-PgYdwe.js";import{t as d}from"./LinkButton-Cxv3J9bH.js";import{t as f}from"./Status-B9CE27-J.js";import{t as p}from"./words-ButosgGn.js";import{r as m}from"./react-AyOTluXZ.js";var h={head:`_head_1pq7p_1`},g=[{value:`curl`,label:`curl`},{value:`node`,label:`Node`},{value:`python`,label:`Python`},{value:`php`,label:`PHP`}],_=e=>g.find(({value:t})=>t===e)?.value??`curl`,v={amount:49.9,description:`Pedido 1042`,customer_name:`João Pereira`,customer_email:`joao@example.com`,customer_cpf:`529.982.247-25`,external_reference:`1042`};function y(e,t){return b[e](t)}var b={curl:e=>{let t=w(e).map(([e,t])=>`  -H '${e}: ${t}' \\`);return[`curl -sS ${x(e)} \\`,...t,`  -d '${C(S(e),`  `)}'`].join(`
`)},node:e=>`const response = await fetch("${x(e)}", {
  method: "POST",
  headers: {
${T(e,`    `)}
  },
  body: JSON.stringify(${C(S(e),`  `)}),
});
console.log(await response.json());`,python:e=>`import json
import urllib.request

request = urllib.request.Request(
    "${x(e)}",
    json.dumps(${C(S(e),`    `)}).encode(),
    {
${T(e,`        `)}
    },
)
with urllib.request.urlopen(request) as response:
    print(json.load(response))`,php:e=>`<?php
$curl = curl_init('${x(e)}');
curl_setopt_array($curl, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => [
${w(e).map(([e,t])=>`        '${e}: ${t}',`).join(`
`)}
    ],
    CURLOPT_POSTFIELDS => <<<'JSON'
${S(e)}
JSON,
]);
print_r(json_decode(curl_exec($curl), true));`},x=({address:e,path:t})=>`${e}${t}`,S=({body:e})=>JSON.stringify(e,null,2),C=(e,t)=>e.replaceAll(`
`,`\n${t}`);function w({key:e,idempotencyKey:t}){let n=[[`Authorization`,`Bearer ${e}`],[`Content-Type`,`application/json`]];return t?[...n,[`Idempotency-Key`,t]]:n}var T=(e,t)=>w(e).map(([e,n])=>`${t}"${e}": "${n}",`).join(`
`),E=m(),D=i(`
  query QuickStart($environment: Environment!) {
    apiKeys(first: 1, filter: { status: active, environment: $environment }) { edges { node { prefix } } }
    charges(first: 0) { totalCount }
    paid: charges(first: 0, filter: { status: paid }) { totalCount }
    webhookEndpoints(first: 0) { totalCount }
  }
`);function O(){let i=s()?.environment??`test`,{linguagem:o}=a({from:`/frame/developers/dev`}),d=n(),f=_(o),m=e({queryKey:[`quick start`,i],queryFn:({signal:e})=>r(D,{environment:i},{signal:e})}),b=m.data?.apiKeys?.edges[0]?.node.prefix,x={address:location.origin,key:b?`${b}…`:`SUA_CHAVE`};return(0,E.jsxs)(E.Fragment,{children:[(0,E.jsx)(t,{title:p.quickStart}),(0,E.jsxs)(`div`,{className:h.head,children:[(0,E.jsx)(`p`,{children:p.lead}),(0,E.jsx)(l,{label:p.language,value:f,options:g,onChange:e=>void d({to:`.`,search:{linguagem:e},replace:!0})})]}),(0,E.jsx)(A,{prefix:b}),(0,E.jsxs)(c,{title:p.chargeTitle,actions:N(m.data?.charges),children:[(0,E.jsx)(`p`,{children:p.chargeLead}),(0,E.jsx)(u,{text:y(f,{...x,path:`/pix`,idempotencyKey:`pedido-1042`,body:v})})]}),(0,E.jsx)(c,{title:p.payTitle,actions:N(m.data?.paid),children:(0,E.jsx)(j,{environment:i,text:y(f,{...x,...k})})}),(0,E.jsx)(M,{count:m.data?.webhookEndpoints}),(0,E.jsxs)(c,{title:p.address,children:[(0,E.jsx)(u,{text:location.origin}),(0,E.jsx)(`a`,{href:`/docs`,children:p.docs}),(0,E.jsx)(`a`,{href:`/graphql`,children:p.graphql}),(0,E.jsx)(`a`,{href:`/docs/ambiente-de-teste`,children:p.guide})]})]})}var k={path:`/pix/simulate-payment`,body:{id:`ID_DA_COBRANCA`}};function A({prefix:e}){let t=o();return(0,E.jsxs)(c,{title:p.keyTitle,actions:e&&(0,E.jsx)(f,{tone:`good`,children:p.done}),children:[(0,E.jsx)(`p`,{children:p.keyLead}),e&&(0,E.jsxs)(`p`,{children:[p.keyYours,` `,(0,E.jsx)(`code`,{children:e})]}),(0,E.jsx)(`div`,{children:t(`createApiKey`)?(0,E.jsx)(d,{to:`/dev/chaves/nova`,variant:e?`plain`:`primary`,children:p.keyNew}):(0,E.jsx)(d,{to:`/dev/chaves`,search:{},variant:`plain`,children:p.keyList})})]})}function j({environment:e,text:t}){return e===`live`?(0,E.jsx)(`p`,{children:p.payLive}):(0,E.jsxs)(E.Fragment,{children:[(0,E.jsx)(`p`,{children:p.payLead}),(0,E.jsx)(u,{text:t})]})}function M({count:e}){let t=o(),n=!!e?.totalCount;return(0,E.jsxs)(c,{title:p.webhookTitle,actions:N(e),children:[(0,E.jsx)(`p`,{children:p.webhookLead}),(0,E.jsx)(`div`,{children:t(`createWebhookEndpoint`)&&!n?(0,E.jsx)(d,{to:`/dev/webhooks/novo`,children:p.webhookNew}):(0,E.jsx)(d,{to:`/dev/webhooks`,search:{},variant:`plain`,children:p.webhookList})})]})}function N(e){return e?.totalCount?(0,E.jsx)(f,{tone:`good`,children:p.done}):null}export{O as QuickStartPage};