import{t as e}from"./queryOptions-D5kIdy4A.js";import{W as t,c as n,u as r}from"./main-Dx5VnZho.js";import{t as i}from"./present-D_1kSWmV.js";var a=15e3,o=r(`
  query Profile {
    me {
      user {
        id name email company cnpj cpf phone address addressNumber complement province postalCode companyType timeZone
        notifyPaymentEmail receiptEmail onboardingCompletedAt
      }
    }
  }
`),s=e({queryKey:[`profile`],queryFn:async({signal:e})=>i((await n(o,{},{signal:e})).me).user}),c=r(`
  mutation UpdateProfile($input: UpdateProfileInput!) { updateProfile(input: $input) { user { id } } }
`);function l(){let e=t();return async t=>{await n(c,{input:t}),await e.invalidateQueries({queryKey:[`viewer`]}),await e.invalidateQueries()}}var u=r(`
  query Production {
    production { liberada status solicitadaEm revisadaEm motivoRecusa pendencias termosUrl }
    productionDocuments { id type fileName size uploadedAt }
  }
`),d=e({queryKey:[`production`],queryFn:async({signal:e})=>{let{production:t,productionDocuments:r}=await n(u,{},{signal:e});return{production:i(t),documents:i(r)}},refetchInterval:({state:e})=>e.data?.production.status===`pending`&&a}),f=r(`
  query ReceivingAccount {
    receivingAccount {
      modo criada accountId status environment companyName cnpj
      aprovacao {
        aprovada conferida geral dadosComerciais contaBancaria documentos conferidaEm linkDocumentos linkDocumentosQr
        motivosRecusa
      }
    }
  }
`),p=e({queryKey:[`receivingAccount`],queryFn:async({signal:e})=>i((await n(f,{},{signal:e})).receivingAccount)}),m=r(`
  query TwoFactor { twoFactor { enabled enabledAt recoveryCodesLeft required } }
`),h=e({queryKey:[`twoFactor`],queryFn:async({signal:e})=>i((await n(m,{},{signal:e})).twoFactor)}),g=r(`
  query OpenSessions { sessions { id current ip userAgent begunAt lastUsedAt } }
`),_=e({queryKey:[`sessions`],queryFn:async({signal:e})=>i((await n(g,{},{signal:e})).sessions)});export{h as a,_ as i,s as n,l as o,p as r,d as t};