import { Link } from '@tanstack/react-router'
import type { Blocker } from './blocker'
import { blockers } from './words'

/** The page where the store can solve it. */
export function BlockerLink({ blocker }: { blocker: Blocker }) {
  const { remedy } = blockers[blocker]
  if (blocker === 'PRODUCAO_NAO_LIBERADA') return <Link to="/ajustes/producao">{remedy}</Link>
  return <Link to="/ajustes/recebimento">{remedy}</Link>
}
