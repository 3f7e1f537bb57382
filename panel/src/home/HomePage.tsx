import { useSuspenseQuery } from '@tanstack/react-query'
import { storeOf, viewerQuery } from '../frame/queries'
import { useSession } from '../session/useSession'
import { Heading } from '../ui/Heading'
import { environments, productionStatuses, roles, words } from '../words/pt-BR'
import css from './HomePage.module.css'

export function HomePage() {
  const { data: viewer } = useSuspenseQuery(viewerQuery)
  const session = useSession()
  const store = storeOf(viewer, session?.storeId ?? null)
  return (
    <>
      <Heading title={words.pages.home}>{words.home.title(viewer.me?.user.name ?? '')}</Heading>
      {store && session && (
        <dl className={css.facts}>
          <Fact term={words.home.store} value={store.name} />
          <Fact term={words.home.environment} value={environments[session.environment]} />
          <Fact term={words.home.role} value={roles[store.role]} />
          <Fact term={words.home.production} value={productionStatuses[store.productionStatus]} />
        </dl>
      )}
    </>
  )
}

function Fact({ term, value }: { term: string; value: string }) {
  return (
    <div className={css.fact}>
      <dt>{term}</dt>
      <dd>{value}</dd>
    </div>
  )
}
