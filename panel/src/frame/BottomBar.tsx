import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Icon } from '../ui/icons'
import { words } from '../words/pt-BR'
import css from './BottomBar.module.css'
import { menuFor } from './pages'
import { useCan, viewerQuery } from './queries'

/** The phone's menu, within reach of the thumb. */
export function BottomBar({ onMore }: { onMore: () => void }) {
  const can = useCan()
  const { data: viewer } = useSuspenseQuery(viewerQuery)
  return (
    <nav aria-label={words.frame.quickMenu} className={css.bar}>
      {menuFor(can, viewer)
        .filter((page) => page.bottom)
        .map((page) => (
          <Link
            key={page.path}
            to={page.path}
            className={css.item ?? ''}
            activeOptions={{ exact: page.path === '/', includeSearch: false }}
          >
            <Icon name={page.icon} />
            {page.label}
          </Link>
        ))}
      {can('issueCharge') && (
        <Link to="/cobrancas/nova" className={`${css.item} ${css.charge}`}>
          <Icon name="plus" />
          {words.frame.charge}
        </Link>
      )}
      <button type="button" className={css.item} onClick={onMore}>
        <Icon name="more" />
        {words.frame.more}
      </button>
    </nav>
  )
}
