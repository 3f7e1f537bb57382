import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Outlet, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { LockDialog } from '../session/LockDialog'
import { useSession } from '../session/useSession'
import { ShortcutsDialog } from '../shortcuts/ShortcutsDialog'
import { useShortcuts } from '../shortcuts/useShortcuts'
import { timeZoneName } from '../ui/format'
import { Modal } from '../ui/Modal'
import { words } from '../words/pt-BR'
import { AccountBox } from './AccountBox'
import { BottomBar } from './BottomBar'
import css from './Frame.module.css'
import { Menu } from './Menu'
import { OfflineBar } from './OfflineBar'
import { useCan, viewerQuery } from './queries'
import { useLive } from './useLive'

// Without this notice the page is of use, too.
const InactiveEndpoints = lazy(() =>
  import('../webhooks/InactiveEndpoints')
    .then((module) => ({ default: module.InactiveEndpoints }))
    .catch(() => ({ default: () => [] })),
)

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
  return session && <FrameOf test={session.environment === 'test'} locked={session.locked} />
}

function FrameOf({ test, locked }: { test: boolean; locked: boolean }) {
  const { data: viewer } = useSuspenseQuery(viewerQuery)
  useLive(viewer.environment, viewer.store.id)
  const can = useCan()
  const navigate = useNavigate()
  useShortcuts({
    c: () => {
      // What is typed in a form would be lost.
      if (can('issueCharge') && !document.querySelector('main form')) void navigate({ to: '/cobrancas/nova' })
    },
  })
  const [menuOpen, setMenuOpen] = useState(false)
  const closeMenu = () => setMenuOpen(false)
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
          <Menu />
          <AccountBox viewer={viewer} />
        </div>
        <main id="conteudo" tabIndex={-1} className={css.content}>
          <OfflineBar />
          <Suspense>
            <InactiveEndpoints />
          </Suspense>
          <Outlet />
          <p className={css.zone}>{words.frame.zone(timeZoneName())}</p>
        </main>
      </div>
      <BottomBar onMore={() => setMenuOpen(true)} />
      {menuOpen && (
        <Modal title={words.frame.more} onClose={closeMenu}>
          <Menu onChoose={closeMenu} />
          <AccountBox viewer={viewer} onLeave={closeMenu} />
        </Modal>
      )}
      <ShortcutsDialog />
      {locked && <LockDialog />}
    </div>
  )
}
