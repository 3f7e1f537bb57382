import type { Environment, ProductionStatus, Role } from '../api/gql/graphql'

/** Every text of the panel. Labels of enums are records, so that a new value doesn't compile without a text. */
export const words = {
  product: 'Painel',
  skipToContent: 'Ir para o conteúdo',
  loading: 'Carregando…',
  retry: 'Tentar de novo',
  entry: {
    login: 'Entrar',
    loginTitle: 'Entrar no painel',
    email: 'E-mail',
    password: 'Senha',
    newPassword: 'Nova senha',
    passwordHint: 'De 8 a 128 caracteres.',
    forgot: 'Esqueci minha senha',
    noAccount: 'Ainda não tem conta?',
    createAccount: 'Criar conta',
    hasAccount: 'Já tem conta?',
    registerTitle: 'Criar sua conta',
    registerLead: 'Você começa no ambiente de teste, onde nada movimenta dinheiro.',
    name: 'Seu nome',
    cnpj: 'CNPJ',
    company: 'Nome da loja (opcional)',
    codeTitle: 'Confirme que é você',
    codeLead: 'Abra o aplicativo autenticador e digite o código de 6 dígitos, ou use um código de recuperação.',
    code: 'Código',
    confirm: 'Confirmar',
    back: 'Voltar',
    resetTitle: 'Recuperar o acesso',
    resetLead: 'Informe o e-mail da conta. Enviamos um código para você escolher uma nova senha.',
    sendCode: 'Enviar código',
    hasCode: 'Já tenho o código',
    newPasswordTitle: 'Escolher uma nova senha',
    resetCode: 'Código do e-mail',
    savePassword: 'Salvar a nova senha',
    goToLogin: 'Ir para a entrada',
    lockTitle: 'Sua sessão expirou',
    lockLead: 'Entre de novo para continuar de onde parou. O que você preencheu está guardado nesta página.',
    leave: 'Sair',
    otherAccount: 'Entre com a mesma conta, ou saia para usar outra.',
  },
  frame: {
    mainMenu: 'Menu principal',
    account: 'Conta',
    logout: 'Sair',
    store: 'Loja',
    environment: 'Ambiente',
    testNotice: 'Ambiente de teste',
    testDetail: 'Nada aqui movimenta dinheiro.',
  },
  pages: { home: 'Início' },
  home: {
    title: (name: string) => `Olá, ${name}`,
    store: 'Loja',
    role: 'Seu papel',
    production: 'Produção',
    environment: 'Ambiente',
  },
  failure: {
    title: 'Não foi possível mostrar esta página',
    unreachable: 'O gateway não respondeu. Verifique sua conexão e tente de novo.',
    unexpected: 'Algo deu errado no painel. Recarregue a página.',
    outdated: 'Há uma versão nova do painel.',
    reload: 'Recarregar',
    notFound: 'Esta página não existe.',
    goHome: 'Ir para o início',
  },
} as const

export const environments: Record<Environment, string> = { test: 'Teste', live: 'Produção' }

export const roles: Record<Role, string> = {
  owner: 'Titular',
  admin: 'Administração',
  finance: 'Financeiro',
  operator: 'Operação',
  viewer: 'Leitura',
}

export const productionStatuses: Record<ProductionStatus, string> = {
  sandbox: 'Ainda não solicitada',
  pending: 'Em análise',
  approved: 'Liberada',
  rejected: 'Recusada',
  suspended: 'Suspensa',
}
