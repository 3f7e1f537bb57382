export const deniedWords = {
  lead: 'Seu papel nesta loja não permite isto, ou a loja não está liberada para produção.',
} as const
