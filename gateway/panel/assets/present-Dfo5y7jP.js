var e=class extends Error{status;code;extensions;retryAfter;name=`GatewayError`;constructor(e,t,n,r,i=null){super(e),this.status=t,this.code=n,this.extensions=r,this.retryAfter=i}get fields(){let{campos:e}=this.extensions;return Array.isArray(e)?Object.fromEntries(e.filter(n).map(({campo:e,mensagem:t})=>[i(e),t])):{}}text(e){let t=this.extensions[e];return typeof t==`string`?t:null}},t=class extends Error{name=`Unreachable`};function n(e){return r(e)&&typeof e.campo==`string`&&typeof e.mensagem==`string`}function r(e){return typeof e==`object`&&!!e&&!Array.isArray(e)}function i(e){return e.replace(/_([a-z])/g,(e,t)=>t.toUpperCase())}var a=`logout`,o=null,s=null,c=[],l=new Set,u=`BroadcastChannel`in globalThis?new BroadcastChannel(`painel`):null;u?.addEventListener(`message`,({data:e})=>{e===a&&x()});var d=class extends Error{name=`SessionClosed`},f=()=>o,p=()=>s?.storeId??null,m=()=>s;function h(e){return l.add(e),()=>l.delete(e)}function g(e){let t=s?.userId===e.user.id;o=e.accessToken,C({userId:e.user.id,environment:e.environment,storeId:t?s?.storeId??null:null,locked:!1}),S(e=>e.resolve())}function _(e){s&&C({...s,storeId:e})}function v(){return s?(s.locked||C({...s,locked:!0}),new Promise((e,t)=>{c.push({resolve:e,reject:t})})):Promise.reject(new d)}function y(){u?.postMessage(a),x()}function b(e){let t=e.split(`.`)[1]??``,{exp:n}=JSON.parse(atob(t.replace(/-/g,`+`).replace(/_/g,`/`)));return n*1e3}function x(){o=null,C(null),S(e=>e.reject(new d))}function S(e){let t=c;c=[],t.forEach(e)}function C(e){s=e;for(let e of l)e()}var w={product:`Painel`,skipToContent:`Ir para o conteúdo`,loading:`Carregando…`,retry:`Tentar de novo`,retryIn:e=>`Tentar de novo em ${e} s`,cancel:`Cancelar`,close:`Fechar`,save:`Salvar`,copy:`Copiar`,copied:`Copiado`,notCopied:`Não foi possível copiar`,timeZone:`Horários de Brasília.`,list:{all:`Todas`,any:`Qualquer`,search:`Buscar`,filters:e=>e>0?`Filtros (${e})`:`Filtros`,filtersTitle:`Filtrar a lista`,activeFilters:`Filtros em uso`,removeFilter:` (remover)`,apply:`Aplicar`,order:`Ordem`,more:`Mostrar mais`,total:e=>`Total: ${e}`,fresh:e=>e===1?`Mostrar 1 nova`:`Mostrar ${e} novas`,nothingFound:`Nada encontrado com esta busca e estes filtros.`,clearFilters:`Limpar filtros`},entry:{login:`Entrar`,loginTitle:`Entrar no painel`,email:`E-mail`,password:`Senha`,newPassword:`Nova senha`,passwordHint:`De 8 a 128 caracteres.`,forgot:`Esqueci minha senha`,noAccount:`Ainda não tem conta?`,createAccount:`Criar conta`,hasAccount:`Já tem conta?`,registerTitle:`Criar sua conta`,registerLead:`Você começa no ambiente de teste, onde nada movimenta dinheiro.`,name:`Seu nome`,cnpj:`CNPJ`,company:`Nome da loja (opcional)`,codeTitle:`Confirme que é você`,codeLead:`Abra o aplicativo autenticador e digite o código de 6 dígitos, ou use um código de recuperação.`,code:`Código`,confirm:`Confirmar`,back:`Voltar`,resetTitle:`Recuperar o acesso`,resetLead:`Informe o e-mail da conta. Enviamos um código para você escolher uma nova senha.`,sendCode:`Enviar código`,hasCode:`Já tenho o código`,newPasswordTitle:`Escolher uma nova senha`,resetCode:`Código do e-mail`,savePassword:`Salvar a nova senha`,goToLogin:`Ir para a entrada`,lockTitle:`Sua sessão expirou`,lockLead:`Entre de novo para continuar de onde parou. O que você preencheu está guardado nesta página.`,leave:`Sair`,otherAccount:`Entre com a mesma conta, ou saia para usar outra.`},frame:{mainMenu:`Menu principal`,quickMenu:`Menu rápido`,charge:`Cobrar`,more:`Mais`,offline:`Você está sem conexão. O que já foi lido continua aqui.`,account:`Conta`,logout:`Sair`,store:`Loja`,environment:`Ambiente`,testNotice:`Ambiente de teste`,testDetail:`Nada aqui movimenta dinheiro.`},pages:{home:`Início`,charges:`Cobranças`},home:{title:e=>`Olá, ${e}`,store:`Loja`,role:`Seu papel`,production:`Produção`,environment:`Ambiente`},failure:{title:`Não foi possível mostrar esta página`,unreachable:`O gateway não respondeu. Verifique sua conexão e tente de novo.`,unexpected:`Algo deu errado no painel. Recarregue a página.`,outdated:`Há uma versão nova do painel.`,reload:`Recarregar`,notFound:`Esta página não existe.`,goHome:`Ir para o início`}},T={test:`Teste`,live:`Produção`},E={owner:`Titular`,admin:`Administração`,finance:`Financeiro`,operator:`Operação`,viewer:`Leitura`},D={sandbox:`Ainda não solicitada`,pending:`Em análise`,approved:`Liberada`,rejected:`Recusada`,suspended:`Suspensa`};async function O(e,t,n={}){let{data:r,errors:i}=await k(e,t,n),[a]=Object.values(i);if(a)throw a;return r}async function k(e,t,n={}){let r=await A(e,t,n);return!Object.values(r.errors).some(e=>e?.status===401)||n.public||n.keepLocked?r:(await v(),A(e,t,n))}async function A(e,n,i){let a=await j(JSON.stringify({query:e.toString(),variables:n}),i),o=await a.json().catch(()=>null),s=r(o)&&Array.isArray(o.errors)?o.errors:[],c=r(o)&&r(o.data)?o.data:null;if(c===null&&s.length===0)throw new t;let l={};for(let e of s)l[M(e)]??=N(e,a);return{data:c??{},errors:l}}async function j(e,n){let r={"Content-Type":`application/json`},i=f();if(i&&!n.public){r.Authorization=`Bearer ${i}`;let e=p();e&&(r[`x-store`]=e)}n.idempotencyKey&&(r[`Idempotency-Key`]=n.idempotencyKey);try{return await fetch(`/graphql`,{method:`POST`,headers:r,body:e,signal:n.signal??null})}catch(e){throw n.signal?.aborted?e:new t}}function M(e){let[t]=r(e)&&Array.isArray(e.path)?e.path:[];return typeof t==`string`?t:``}function N(t,n){let i=r(t)?t:{},a=r(i.extensions)?i.extensions:{};return new e(typeof i.message==`string`?i.message:``,typeof a.status==`number`?a.status:n.status,typeof a.codigo==`string`?a.codigo:null,a,Number(n.headers.get(`Retry-After`))||null)}var P=class extends String{__apiType;value;__meta__;constructor(e,t){super(e),this.value=e,this.__meta__=t}toString(){return this.value}},F={"\n  mutation SimulatePayment($id: ID!) { simulatePayment(id: $id) { id } }\n":new P(`
    mutation SimulatePayment($id: ID!) {
  simulatePayment(id: $id) {
    id
  }
}
    `),"\n  mutation ExpireCharge($id: ID!) { expireCharge(id: $id) { id } }\n":new P(`
    mutation ExpireCharge($id: ID!) {
  expireCharge(id: $id) {
    id
  }
}
    `),"\n  query Charges($first: Int, $after: String, $filter: ChargeFilter, $order: ChargeOrder!) {\n    charges(first: $first, after: $after, filter: $filter, order: $order) {\n      totalCount\n      totalCapped\n      pageInfo { endCursor hasNextPage }\n      edges { node { id status underReview amount description customerName createdAt } }\n    }\n  }\n":new P(`
    query Charges($first: Int, $after: String, $filter: ChargeFilter, $order: ChargeOrder!) {
  charges(first: $first, after: $after, filter: $filter, order: $order) {
    totalCount
    totalCapped
    pageInfo {
      endCursor
      hasNextPage
    }
    edges {
      node {
        id
        status
        underReview
        amount
        description
        customerName
        createdAt
      }
    }
  }
}
    `),"\n  query ProductsToCharge {\n    products(first: 100, filter: { status: active }, order: name_asc) { edges { node { id name } } }\n  }\n":new P(`
    query ProductsToCharge {
  products(first: 100, filter: {status: active}, order: name_asc) {
    edges {
      node {
        id
        name
      }
    }
  }
}
    `),"\n  mutation IssueCharge($input: IssueChargeInput!) { issueCharge(input: $input) { id } }\n":new P(`
    mutation IssueCharge($input: IssueChargeInput!) {
  issueCharge(input: $input) {
    id
  }
}
    `),"\n  mutation SendCharge($id: ID!, $email: String) { sendCharge(id: $id, email: $email) { id } }\n":new P(`
    mutation SendCharge($id: ID!, $email: String) {
  sendCharge(id: $id, email: $email) {
    id
  }
}
    `),"\n  query Charge($id: ID!) {\n    charge(id: $id) {\n      id txid status underReview environment description amount originalAmount discountAmount feeAmount netAmount\n      customerName customerEmail customerCpf customerPhone couponCode productId externalReference linkReference metadata\n      successUrl cancelUrl expiresAt pixCode endToEndId paidAt paidLate createdAt checkoutUrl receiptUrl qrCodeUrl\n      customer { id name }\n      product { id name }\n      subscription { id }\n      paymentLink { id title }\n    }\n  }\n":new P(`
    query Charge($id: ID!) {
  charge(id: $id) {
    id
    txid
    status
    underReview
    environment
    description
    amount
    originalAmount
    discountAmount
    feeAmount
    netAmount
    customerName
    customerEmail
    customerCpf
    customerPhone
    couponCode
    productId
    externalReference
    linkReference
    metadata
    successUrl
    cancelUrl
    expiresAt
    pixCode
    endToEndId
    paidAt
    paidLate
    createdAt
    checkoutUrl
    receiptUrl
    qrCodeUrl
    customer {
      id
      name
    }
    product {
      id
      name
    }
    subscription {
      id
    }
    paymentLink {
      id
      title
    }
  }
}
    `),'\n  query ChargeTimeline($id: String!) {\n    auditRecords(first: 50, filter: { resourceType: "charge", resourceId: $id }, order: created_at_asc) {\n      edges { node { id action actorName createdAt } }\n    }\n  }\n':new P(`
    query ChargeTimeline($id: String!) {
  auditRecords(
    first: 50
    filter: {resourceType: "charge", resourceId: $id}
    order: created_at_asc
  ) {
    edges {
      node {
        id
        action
        actorName
        createdAt
      }
    }
  }
}
    `),"\n  mutation ChooseEnvironment($input: ChooseEnvironmentInput!) {\n    chooseEnvironment(input: $input) { accessToken environment user { id } }\n  }\n":new P(`
    mutation ChooseEnvironment($input: ChooseEnvironmentInput!) {
  chooseEnvironment(input: $input) {
    accessToken
    environment
    user {
      id
    }
  }
}
    `),"\n  query Viewer {\n    viewer { role environment isStaff operations store { id name productionStatus } }\n    me { user { id name email } }\n    stores { id name }\n  }\n":new P(`
    query Viewer {
  viewer {
    role
    environment
    isStaff
    operations
    store {
      id
      name
      productionStatus
    }
  }
  me {
    user {
      id
      name
      email
    }
  }
  stores {
    id
    name
  }
}
    `),"\n  query CurrentSession { sessions { id current } }\n":new P(`
    query CurrentSession {
  sessions {
    id
    current
  }
}
    `),"\n  mutation EndSession($id: ID!) { endSession(id: $id) { id } }\n":new P(`
    mutation EndSession($id: ID!) {
  endSession(id: $id) {
    id
  }
}
    `),"\n  mutation LoginWithCode($input: LoginWithCodeInput!) {\n    loginWithCode(input: $input) { accessToken environment user { id } }\n  }\n":new P(`
    mutation LoginWithCode($input: LoginWithCodeInput!) {
  loginWithCode(input: $input) {
    accessToken
    environment
    user {
      id
    }
  }
}
    `),"\n  mutation RequestPasswordReset($input: RequestPasswordResetInput!) {\n    requestPasswordReset(input: $input) { message }\n  }\n":new P(`
    mutation RequestPasswordReset($input: RequestPasswordResetInput!) {
  requestPasswordReset(input: $input) {
    message
  }
}
    `),"\n  mutation Login($input: LoginInput!) {\n    login(input: $input) { accessToken environment user { id } }\n  }\n":new P(`
    mutation Login($input: LoginInput!) {
  login(input: $input) {
    accessToken
    environment
    user {
      id
    }
  }
}
    `),"\n  mutation ResetPassword($input: ResetPasswordInput!) {\n    resetPassword(input: $input) { message }\n  }\n":new P(`
    mutation ResetPassword($input: ResetPasswordInput!) {
  resetPassword(input: $input) {
    message
  }
}
    `),"\n  mutation Register($input: RegisterInput!) {\n    register(input: $input) { accessToken environment user { id } }\n  }\n":new P(`
    mutation Register($input: RegisterInput!) {
  register(input: $input) {
    accessToken
    environment
    user {
      id
    }
  }
}
    `),"\n  mutation RefreshSession {\n    refreshSession { accessToken environment user { id } }\n  }\n":new P(`
    mutation RefreshSession {
  refreshSession {
    accessToken
    environment
    user {
      id
    }
  }
}
    `)};function I(e){return F[e]??{}}function L(e){if(e==null)throw new t;return e}export{D as a,_ as c,f as d,b as f,t as g,e as h,T as i,y as l,h as m,I as n,E as o,g as p,O as r,w as s,L as t,m as u};