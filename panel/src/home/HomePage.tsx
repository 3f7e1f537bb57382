import { useSuspenseQuery } from '@tanstack/react-query'
import { viewerQuery } from '../frame/queries'
import { Facts } from '../ui/Facts'
import { Heading } from '../ui/Heading'
import { environments, productionStatuses, roles, words } from '../words/pt-BR'

export function HomePage() {
  const { data: viewer } = useSuspenseQuery(viewerQuery)
  return (
    <>
      <Heading title={words.pages.home}>{words.home.title(viewer.user.name)}</Heading>
      <Facts
        facts={[
          { term: words.home.store, value: viewer.store.name },
          { term: words.home.environment, value: environments[viewer.environment] },
          { term: words.home.role, value: roles[viewer.role] },
          { term: words.home.production, value: productionStatuses[viewer.store.productionStatus] },
        ]}
      />
    </>
  )
}
