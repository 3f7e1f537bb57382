export const PERIODS = ['hoje', '7', '30', '90', 'mes'] as const
export type Period = (typeof PERIODS)[number]

export const isPeriod = (value: unknown): value is Period => PERIODS.some((period) => period === value)
