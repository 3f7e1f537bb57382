export const shortcutWords = {
  title: 'Teclas de atalho',
  lead: 'Funcionam em qualquer página, menos enquanto você digita.',
  enabled: 'Usar as teclas de atalho neste aparelho',
  saved: 'Salvo.',
} as const

/** Each key with what it does. */
export const shortcuts = [
  { term: 'c', value: 'Nova cobrança' },
  { term: '/', value: 'Buscar na lista' },
  { term: 'j e k', value: 'Linha seguinte e anterior da lista' },
  { term: 'Enter', value: 'Abrir a linha' },
  { term: '1 a 4', value: 'Período do início: hoje, 7, 30 ou 90 dias' },
  { term: 'y', value: 'Copiar o id da cobrança' },
  { term: 'p', value: 'Simular o pagamento da cobrança, em teste' },
  { term: 'n', value: 'Próximo lojista da fila, para a equipe do serviço' },
  { term: '?', value: 'Mostrar estas teclas' },
] as const
