import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Icon } from '../ui/icons'
import { words } from '../words/pt-BR'
import css from './Menu.module.css'
import { menuFor } from './pages'
import { useCan, viewerQuery } from './queries'

export function Menu({ onChoose }: { onChoose?: () => void }) {
  const can = useCan()
  const { data: viewer } = useSuspenseQuery(viewerQuery)
  return (
    <nav aria-label={words.frame.mainMenu} className={css.menu}>
      {menuFor(can, viewer).map((page) => (
        <Link
          key={page.path}
          to={page.path}
          onClick={onChoose}
          className={css.link ?? ''}
          activeOptions={{ exact: page.path === '/', includeSearch: false }}
        >
          <Icon name={page.icon} />
          {page.label}
        </Link>
      ))}
    </nav>
  )
}
