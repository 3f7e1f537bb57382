import{r as e}from"./react-AyOTluXZ.js";import{n as t}from"./QueryClientProvider-ESQmhwNw.js";import{t as n}from"./queryOptions-Dfvzj6n2.js";import{g as r,n as i,t as a}from"./graphql-BeLqpmMW.js";import{h as o,u as s}from"./main-BdWzo1GK.js";import{t as c}from"./queries-BgfyNLLV.js";import{t as l}from"./SectionNav-8vXuUOKR.js";import{c as u}from"./words-BMXmTR2d.js";var d=15e3,f=a(`
  query Profile {
    me {
      user {
        id name email company cnpj cpf phone address addressNumber complement province postalCode companyType
        notifyPaymentEmail receiptEmail
      }
    }
  }
`),p=n({queryKey:[`profile`],queryFn:async({signal:e})=>s((await i(f,{},{signal:e})).me).user}),m=a(`
  mutation UpdateProfile($input: UpdateProfileInput!) { updateProfile(input: $input) { user { id } } }
`);function h(){let e=t();return async t=>{await i(m,{input:t});let n=[p.queryKey,_.queryKey,[`viewer`]];await Promise.all(n.map(t=>e.invalidateQueries({queryKey:t})))}}var g=a(`
  query Production {
    production { liberada status solicitadaEm revisadaEm motivoRecusa pendencias termosUrl }
    productionDocuments { id type fileName size uploadedAt }
  }
`),_=n({queryKey:[`production`],queryFn:async({signal:e})=>{let{production:t,productionDocuments:n}=await i(g,{},{signal:e});return{production:s(t),documents:s(n)}},refetchInterval:({state:e})=>e.data?.production.status===`pending`&&d}),v=a(`
  query ReceivingAccount {
    receivingAccount {
      modo criada accountId status environment companyName cnpj
      aprovacao {
        aprovada conferida geral dadosComerciais contaBancaria documentos conferidaEm linkDocumentos linkDocumentosQr
        motivosRecusa
      }
    }
  }
`),y=n({queryKey:[`receivingAccount`],queryFn:async({signal:e})=>s((await i(v,{},{signal:e})).receivingAccount)}),b=a(`
  query TwoFactor { twoFactor { enabled enabledAt recoveryCodesLeft required } }
`),x=n({queryKey:[`twoFactor`],queryFn:async({signal:e})=>s((await i(b,{},{signal:e})).twoFactor)}),S=a(`
  query OpenSessions { sessions { id current ip userAgent begunAt lastUsedAt } }
`),C=n({queryKey:[`sessions`],queryFn:async({signal:e})=>s((await i(S,{},{signal:e})).sessions)}),w=e();function T({title:e,status:t,children:n}){let i=c(),{tabs:a}=u;return(0,w.jsxs)(w.Fragment,{children:[(0,w.jsxs)(l,{label:u.title,children:[i(`production`)&&(0,w.jsx)(r,{to:`/ajustes/loja`,children:a.store}),i(`production`)&&(0,w.jsx)(r,{to:`/ajustes/producao`,children:a.production}),i(`receivingAccount`)&&(0,w.jsx)(r,{to:`/ajustes/recebimento`,children:a.receiving}),(0,w.jsx)(r,{to:`/ajustes/conta`,children:a.account}),(0,w.jsx)(r,{to:`/ajustes/seguranca`,children:a.security})]}),(0,w.jsx)(o,{title:e}),t,n]})}export{C as a,y as i,_ as n,x as o,p as r,h as s,T as t};