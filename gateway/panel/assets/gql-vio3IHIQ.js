var e=class extends Error{status;code;extensions;name=`GatewayError`;constructor(e,t,n,r){super(e),this.status=t,this.code=n,this.extensions=r}get fields(){let{campos:e}=this.extensions;return Array.isArray(e)?Object.fromEntries(e.filter(n).map(({campo:e,mensagem:t})=>[i(e),t])):{}}text(e){let t=this.extensions[e];return typeof t==`string`?t:null}},t=class extends Error{name=`Unreachable`};function n(e){return r(e)&&typeof e.campo==`string`&&typeof e.mensagem==`string`}function r(e){return typeof e==`object`&&!!e&&!Array.isArray(e)}function i(e){return e.replace(/_([a-z])/g,(e,t)=>t.toUpperCase())}var a={product:`Painel`,skipToContent:`Ir para o conteúdo`,loading:`Carregando…`,retry:`Tentar de novo`,entry:{login:`Entrar`,loginTitle:`Entrar no painel`,email:`E-mail`,password:`Senha`,newPassword:`Nova senha`,passwordHint:`De 8 a 128 caracteres.`,forgot:`Esqueci minha senha`,noAccount:`Ainda não tem conta?`,createAccount:`Criar conta`,hasAccount:`Já tem conta?`,registerTitle:`Criar sua conta`,registerLead:`Você começa no ambiente de teste, onde nada movimenta dinheiro.`,name:`Seu nome`,cnpj:`CNPJ`,company:`Nome da loja (opcional)`,codeTitle:`Confirme que é você`,codeLead:`Abra o aplicativo autenticador e digite o código de 6 dígitos, ou use um código de recuperação.`,code:`Código`,confirm:`Confirmar`,back:`Voltar`,resetTitle:`Recuperar o acesso`,resetLead:`Informe o e-mail da conta. Enviamos um código para você escolher uma nova senha.`,sendCode:`Enviar código`,hasCode:`Já tenho o código`,newPasswordTitle:`Escolher uma nova senha`,resetCode:`Código do e-mail`,savePassword:`Salvar a nova senha`,goToLogin:`Ir para a entrada`,lockTitle:`Sua sessão expirou`,lockLead:`Entre de novo para continuar de onde parou. O que você preencheu está guardado nesta página.`,leave:`Sair`,otherAccount:`Entre com a mesma conta, ou saia para usar outra.`},frame:{mainMenu:`Menu principal`,account:`Conta`,logout:`Sair`,store:`Loja`,environment:`Ambiente`,testNotice:`Ambiente de teste`,testDetail:`Nada aqui movimenta dinheiro.`},pages:{home:`Início`},home:{title:e=>`Olá, ${e}`,store:`Loja`,role:`Seu papel`,production:`Produção`,environment:`Ambiente`},failure:{title:`Não foi possível mostrar esta página`,unreachable:`O gateway não respondeu. Verifique sua conexão e tente de novo.`,unexpected:`Algo deu errado no painel. Recarregue a página.`,outdated:`Há uma versão nova do painel.`,reload:`Recarregar`,notFound:`Esta página não existe.`,goHome:`Ir para o início`}},o={test:`Teste`,live:`Produção`},s={owner:`Titular`,admin:`Administração`,finance:`Financeiro`,operator:`Operação`,viewer:`Leitura`},c={sandbox:`Ainda não solicitada`,pending:`Em análise`,approved:`Liberada`,rejected:`Recusada`,suspended:`Suspensa`},l=`logout`,u=null,d=null,f=[],p=new Set,m=`BroadcastChannel`in globalThis?new BroadcastChannel(`painel`):null;m?.addEventListener(`message`,({data:e})=>{e===l&&T()});var h=class extends Error{name=`SessionClosed`},g=()=>u,_=()=>d?.storeId??null,v=()=>d;function y(e){return p.add(e),()=>p.delete(e)}function b(e){let t=d?.userId===e.user.id;u=e.accessToken,D({userId:e.user.id,environment:e.environment,storeId:t?d?.storeId??null:null,locked:!1}),E(e=>e.resolve())}function x(e){d&&D({...d,storeId:e})}function S(){return d?(d.locked||D({...d,locked:!0}),new Promise((e,t)=>{f.push({resolve:e,reject:t})})):Promise.reject(new h)}function C(){m?.postMessage(l),T()}function w(e){let t=e.split(`.`)[1]??``,{exp:n}=JSON.parse(atob(t.replace(/-/g,`+`).replace(/_/g,`/`)));return n*1e3}function T(){u=null,D(null),E(e=>e.reject(new h))}function E(e){let t=f;f=[],t.forEach(e)}function D(e){d=e;for(let e of p)e()}async function O(t,n,r={}){try{return await k(t,n,r)}catch(i){if(r.public||r.keepLocked||!(i instanceof e)||i.status!==401)throw i;return await S(),k(t,n,r)}}async function k(e,n,i){let a=await A(JSON.stringify({query:e.toString(),variables:n}),i),o=await a.json().catch(()=>null),s=r(o)&&Array.isArray(o.errors)?o.errors:[];if(s.length>0)throw j(s[0],a.status);if(!r(o)||!r(o.data))throw new t;return o.data}async function A(e,n){let r={"Content-Type":`application/json`},i=g();if(i&&!n.public){r.Authorization=`Bearer ${i}`;let e=_();e&&(r[`x-store`]=e)}n.idempotencyKey&&(r[`Idempotency-Key`]=n.idempotencyKey);try{return await fetch(`/graphql`,{method:`POST`,headers:r,body:e,signal:n.signal??null})}catch(e){throw n.signal?.aborted?e:new t}}function j(t,n){let i=r(t)?t:{},a=r(i.extensions)?i.extensions:{};return new e(typeof i.message==`string`?i.message:``,typeof a.status==`number`?a.status:n,typeof a.codigo==`string`?a.codigo:null,a)}var M=class extends String{__apiType;value;__meta__;constructor(e,t){super(e),this.value=e,this.__meta__=t}toString(){return this.value}},N={"\n  mutation ChooseEnvironment($input: ChooseEnvironmentInput!) {\n    chooseEnvironment(input: $input) { accessToken environment user { id } }\n  }\n":new M(`
    mutation ChooseEnvironment($input: ChooseEnvironmentInput!) {
  chooseEnvironment(input: $input) {
    accessToken
    environment
    user {
      id
    }
  }
}
    `),"\n  query Viewer {\n    me { environment user { id name email isAdmin productionStatus } }\n    stores { id name role productionStatus }\n  }\n":new M(`
    query Viewer {
  me {
    environment
    user {
      id
      name
      email
      isAdmin
      productionStatus
    }
  }
  stores {
    id
    name
    role
    productionStatus
  }
}
    `),"\n  query CurrentSession { sessions { id current } }\n":new M(`
    query CurrentSession {
  sessions {
    id
    current
  }
}
    `),"\n  mutation EndSession($id: ID!) { endSession(id: $id) { id } }\n":new M(`
    mutation EndSession($id: ID!) {
  endSession(id: $id) {
    id
  }
}
    `),"\n  mutation LoginWithCode($input: LoginWithCodeInput!) {\n    loginWithCode(input: $input) { accessToken environment user { id } }\n  }\n":new M(`
    mutation LoginWithCode($input: LoginWithCodeInput!) {
  loginWithCode(input: $input) {
    accessToken
    environment
    user {
      id
    }
  }
}
    `),"\n  mutation RequestPasswordReset($input: RequestPasswordResetInput!) {\n    requestPasswordReset(input: $input) { message }\n  }\n":new M(`
    mutation RequestPasswordReset($input: RequestPasswordResetInput!) {
  requestPasswordReset(input: $input) {
    message
  }
}
    `),"\n  mutation Login($input: LoginInput!) {\n    login(input: $input) { accessToken environment user { id } }\n  }\n":new M(`
    mutation Login($input: LoginInput!) {
  login(input: $input) {
    accessToken
    environment
    user {
      id
    }
  }
}
    `),"\n  mutation ResetPassword($input: ResetPasswordInput!) {\n    resetPassword(input: $input) { message }\n  }\n":new M(`
    mutation ResetPassword($input: ResetPasswordInput!) {
  resetPassword(input: $input) {
    message
  }
}
    `),"\n  mutation Register($input: RegisterInput!) {\n    register(input: $input) { accessToken environment user { id } }\n  }\n":new M(`
    mutation Register($input: RegisterInput!) {
  register(input: $input) {
    accessToken
    environment
    user {
      id
    }
  }
}
    `),"\n  mutation RefreshSession {\n    refreshSession { accessToken environment user { id } }\n  }\n":new M(`
    mutation RefreshSession {
  refreshSession {
    accessToken
    environment
    user {
      id
    }
  }
}
    `)};function P(e){return N[e]??{}}export{v as a,b as c,c as d,s as f,t as h,C as i,y as l,e as m,O as n,g as o,a as p,x as r,w as s,P as t,o as u};