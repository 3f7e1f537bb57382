import{r as e}from"./react-AyOTluXZ.js";import{A as t}from"./format-Bn0KZV_R.js";import{t as n}from"./link-Ds5uqn3o.js";import{a as r,r as i}from"./request-CmBGbJcL.js";import{t as a}from"./present-CmSYEtVt.js";import{R as o,f as s}from"./main-BaFIqrNm.js";import{t as c}from"./queries-DgAVomnH.js";import{t as l}from"./SectionNav-8vXuUOKR.js";import{c as u}from"./words-B3d--t1Y.js";var d=15e3,f=r(`
  query Profile {
    me {
      user {
        id name email company cnpj cpf phone address addressNumber complement province postalCode companyType timeZone
        notifyPaymentEmail receiptEmail
      }
    }
  }
`),p=t({queryKey:[`profile`],queryFn:async({signal:e})=>a((await i(f,{},{signal:e})).me).user}),m=r(`
  mutation UpdateProfile($input: UpdateProfileInput!) { updateProfile(input: $input) { user { id } } }
`);function h(){let e=o();return async t=>{await i(m,{input:t}),await e.invalidateQueries({queryKey:[`viewer`]}),await e.invalidateQueries()}}var g=r(`
  query Production {
    production { liberada status solicitadaEm revisadaEm motivoRecusa pendencias termosUrl }
    productionDocuments { id type fileName size uploadedAt }
  }
`),_=t({queryKey:[`production`],queryFn:async({signal:e})=>{let{production:t,productionDocuments:n}=await i(g,{},{signal:e});return{production:a(t),documents:a(n)}},refetchInterval:({state:e})=>e.data?.production.status===`pending`&&d}),v=r(`
  query ReceivingAccount {
    receivingAccount {
      modo criada accountId status environment companyName cnpj
      aprovacao {
        aprovada conferida geral dadosComerciais contaBancaria documentos conferidaEm linkDocumentos linkDocumentosQr
        motivosRecusa
      }
    }
  }
`),y=t({queryKey:[`receivingAccount`],queryFn:async({signal:e})=>a((await i(v,{},{signal:e})).receivingAccount)}),b=r(`
  query TwoFactor { twoFactor { enabled enabledAt recoveryCodesLeft required } }
`),x=t({queryKey:[`twoFactor`],queryFn:async({signal:e})=>a((await i(b,{},{signal:e})).twoFactor)}),S=r(`
  query OpenSessions { sessions { id current ip userAgent begunAt lastUsedAt } }
`),C=t({queryKey:[`sessions`],queryFn:async({signal:e})=>a((await i(S,{},{signal:e})).sessions)}),w=e();function T({title:e,status:t,children:r}){let i=c(),{tabs:a}=u;return(0,w.jsxs)(w.Fragment,{children:[(0,w.jsxs)(l,{label:u.title,children:[i(`production`)&&(0,w.jsx)(n,{to:`/ajustes/loja`,children:a.store}),i(`production`)&&(0,w.jsx)(n,{to:`/ajustes/producao`,children:a.production}),i(`receivingAccount`)&&(0,w.jsx)(n,{to:`/ajustes/recebimento`,children:a.receiving}),(0,w.jsx)(n,{to:`/ajustes/conta`,children:a.account}),(0,w.jsx)(n,{to:`/ajustes/seguranca`,children:a.security})]}),(0,w.jsx)(s,{title:e}),t,r]})}export{C as a,y as i,_ as n,x as o,p as r,h as s,T as t};