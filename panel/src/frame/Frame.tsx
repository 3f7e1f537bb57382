import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { LockDialog } from '../session/LockDialog'
import { useSession } from '../session/useSession'
import { words } from '../words/pt-BR'
import { AccountBox } from './AccountBox'
import css from './Frame.module.css'
import { menuFor } from './pages'
import { storeOf, viewerQuery } from './queries'

/** What surrounds every page of a session: the notice of the test environment, the menu, and the account. */
export function Frame() {
  const session = useSession()
  const navigate = useNavigate()
  const cache = useQueryClient()
  const closed = session === null
  useEffect(() => {
    if (!closed) return
    cache.clear()
    void navigate({ to: '/entrar', replace: true })
  }, [closed, cache, navigate])
  return session && <FrameOf storeId={session.storeId} test={session.environment === 'test'} locked={session.locked} />
}

type Props = { storeId: string | null; test: boolean; locked: boolean }

function FrameOf({ storeId, test, locked }: Props) {
  const { data: viewer } = useSuspenseQuery(viewerQuery)
  const role = storeOf(viewer, storeId)?.role ?? 'viewer'
  return (
    <div className={`${css.frame} ${test ? css.test : ''}`}>
      <a className={css.skip} href="#conteudo">
        {words.skipToContent}
      </a>
      {test && (
        <header className={css.notice}>
          <strong>{words.frame.testNotice}.</strong> {words.frame.testDetail}
        </header>
      )}
      <div className={css.body}>
        <div className={css.side}>
          <nav aria-label={words.frame.mainMenu} className={css.menu}>
            {menuFor(role).map((page) => (
              <Link
                key={page.path}
                to={page.path}
                className={css.link ?? ''}
                activeOptions={{ exact: page.path === '/' }}
              >
                {page.label}
              </Link>
            ))}
          </nav>
          <AccountBox viewer={viewer} />
        </div>
        <main id="conteudo" tabIndex={-1} className={css.content}>
          <Outlet />
        </main>
      </div>
      {locked && <LockDialog />}
    </div>
  )
}
