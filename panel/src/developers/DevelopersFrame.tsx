import { Link, Outlet } from '@tanstack/react-router'
import { useSession } from '../session/useSession'
import { SectionNav } from '../ui/SectionNav'
import { developerWords } from './words'

const PAGES = [
  { path: '/dev', label: developerWords.quickStart },
  { path: '/dev/chaves', label: developerWords.keys },
  { path: '/dev/webhooks', label: developerWords.webhooks },
  { path: '/dev/eventos', label: developerWords.events },
] as const

/** The menu of the developers' pages. */
export function DevelopersFrame() {
  const session = useSession()
  return (
    <>
      <SectionNav label={developerWords.menu}>
        {PAGES.map(({ path, label }) => (
          <Link key={path} to={path} search={{}} activeOptions={{ exact: path === '/dev', includeSearch: false }}>
            {label}
          </Link>
        ))}
        {session?.environment === 'test' && <Link to="/dev/relogio">{developerWords.clock}</Link>}
      </SectionNav>
      <Outlet />
    </>
  )
}
