import{t as e}from"./queryOptions-C9DoWxj0.js";import{z as t}from"./main-DocYwmjR.js";import{a as n,r}from"./request-QLMvDYM1.js";import{t as i}from"./present-C6ZMvN9P.js";var a=15e3,o=n(`
  query Profile {
    me {
      user {
        id name email company cnpj cpf phone address addressNumber complement province postalCode companyType timeZone
        notifyPaymentEmail receiptEmail onboardingCompletedAt
      }
    }
  }
`),s=e({queryKey:[`profile`],queryFn:async({signal:e})=>i((await r(o,{},{signal:e})).me).user}),c=n(`
  mutation UpdateProfile($input: UpdateProfileInput!) { updateProfile(input: $input) { user { id } } }
`);function l(){let e=t();return async t=>{await r(c,{input:t}),await e.invalidateQueries({queryKey:[`viewer`]}),await e.invalidateQueries()}}var u=n(`
  query Production {
    production { liberada status solicitadaEm revisadaEm motivoRecusa pendencias termosUrl }
    productionDocuments { id type fileName size uploadedAt }
  }
`),d=e({queryKey:[`production`],queryFn:async({signal:e})=>{let{production:t,productionDocuments:n}=await r(u,{},{signal:e});return{production:i(t),documents:i(n)}},refetchInterval:({state:e})=>e.data?.production.status===`pending`&&a}),f=n(`
  query ReceivingAccount {
    receivingAccount {
      modo criada accountId status environment companyName cnpj
      aprovacao {
        aprovada conferida geral dadosComerciais contaBancaria documentos conferidaEm linkDocumentos linkDocumentosQr
        motivosRecusa
      }
    }
  }
`),p=e({queryKey:[`receivingAccount`],queryFn:async({signal:e})=>i((await r(f,{},{signal:e})).receivingAccount)}),m=n(`
  query TwoFactor { twoFactor { enabled enabledAt recoveryCodesLeft required } }
`),h=e({queryKey:[`twoFactor`],queryFn:async({signal:e})=>i((await r(m,{},{signal:e})).twoFactor)}),g=n(`
  query OpenSessions { sessions { id current ip userAgent begunAt lastUsedAt } }
`),_=e({queryKey:[`sessions`],queryFn:async({signal:e})=>i((await r(g,{},{signal:e})).sessions)});export{h as a,_ as i,s as n,l as o,p as r,d as t};