import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { viewerQuery } from '../frame/queries'
import { useShortcuts } from '../shortcuts/useShortcuts'
import { Choice } from '../ui/Choice'
import { ErrorNotice } from '../ui/ErrorNotice'
import { Heading } from '../ui/Heading'
import { Skeleton } from '../ui/Skeleton'
import { words } from '../words/pt-BR'
import { Figures } from './Figures'
import { FirstSteps } from './FirstSteps'
import css from './HomePage.module.css'
import { LastCharges } from './LastCharges'
import { NeedsYou } from './NeedsYou'
import { PERIODS, type Period } from './period'
import { homeQuery } from './queries'
import { homeWords } from './words'

export function HomePage() {
  const { data: viewer } = useSuspenseQuery(viewerQuery)
  const { periodo = '30' } = useSearch({ from: '/frame/' })
  const navigate = useNavigate()
  const home = useQuery(homeQuery(periodo))
  const choose = (value: Period) => void navigate({ to: '/', search: { periodo: value }, replace: true })
  useShortcuts(Object.fromEntries(PERIODS.slice(0, 4).map((value, index) => [index + 1, () => choose(value)])))
  return (
    <>
      <div className={css.head}>
        <Heading title={words.pages.home}>{words.home.title(viewer.user.name)}</Heading>
        <Choice
          label={homeWords.period}
          value={periodo}
          options={PERIODS.map((value) => ({ value, label: homeWords.periods[value] }))}
          onChange={choose}
        />
      </div>
      {home.isPending && <Skeleton lines={6} />}
      {home.error && <ErrorNotice error={home.error} onRetry={home.refetch} />}
      {home.data && (
        <div className={css.cards}>
          <NeedsYou home={home.data} />
          <FirstSteps home={home.data} />
          <Figures home={home.data} onRetry={home.refetch} />
          <LastCharges home={home.data} onRetry={home.refetch} />
        </div>
      )}
    </>
  )
}
