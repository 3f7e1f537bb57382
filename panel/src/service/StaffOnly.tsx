import { useSuspenseQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Denied } from '../frame/Denied'
import { useCan, viewerQuery } from '../frame/queries'
import { Heading } from '../ui/Heading'
import { LinkButton } from '../ui/LinkButton'
import { Notice } from '../ui/Notice'
import { serviceWords } from './words'

/** A page of the staff. Without the second factor that the service requires, the way to it. */
export function StaffOnly({ children }: { children: ReactNode }) {
  const can = useCan()
  const { data: viewer } = useSuspenseQuery(viewerQuery)
  if (can('merchants')) return children
  if (!viewer.lacksSecondFactor) return <Denied title={serviceWords.title} />
  return (
    <>
      <Heading title={serviceWords.title} />
      <Notice kind="info">{serviceWords.factorNeeded}</Notice>
      <ol>
        <li>{serviceWords.factorApp}</li>
        <li>{serviceWords.factorEnable}</li>
        <li>{serviceWords.factorBack}</li>
      </ol>
      <div>
        <LinkButton to="/ajustes/seguranca">{serviceWords.enableTwoFactor}</LinkButton>
      </div>
    </>
  )
}
