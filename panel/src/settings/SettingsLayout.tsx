import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useCan } from '../frame/queries'
import { Heading } from '../ui/Heading'
import { SectionNav } from '../ui/SectionNav'
import { settingsWords } from './words'

type Props = { title: string; status?: ReactNode; children: ReactNode }

/** A page of the settings. What belongs to the own store is shown to its owner only. */
export function SettingsLayout({ title, status, children }: Props) {
  const can = useCan()
  const { tabs } = settingsWords
  return (
    <>
      <SectionNav label={settingsWords.title}>
        {can('production') && <Link to="/ajustes/loja">{tabs.store}</Link>}
        {can('production') && <Link to="/ajustes/producao">{tabs.production}</Link>}
        {can('receivingAccount') && <Link to="/ajustes/recebimento">{tabs.receiving}</Link>}
        <Link to="/ajustes/conta">{tabs.account}</Link>
        <Link to="/ajustes/seguranca">{tabs.security}</Link>
      </SectionNav>
      <Heading title={title} />
      {status}
      {children}
    </>
  )
}
