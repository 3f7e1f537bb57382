import { Link } from '@tanstack/react-router'
import { Icon } from '../ui/icons'
import { words } from '../words/pt-BR'
import css from './Menu.module.css'
import { menuFor } from './pages'
import { useCan } from './queries'

export function Menu({ onChoose }: { onChoose?: () => void }) {
  const can = useCan()
  return (
    <nav aria-label={words.frame.mainMenu} className={css.menu}>
      {menuFor(can).map((page) => (
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
