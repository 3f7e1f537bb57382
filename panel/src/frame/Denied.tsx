import { Heading } from '../ui/Heading'
import { Notice } from '../ui/Notice'
import { deniedWords } from './deniedWords'

/** In place of a form that the caller may not send. */
export function Denied({ title }: { title: string }) {
  return (
    <>
      <Heading title={title} />
      <Notice kind="info">{deniedWords.lead}</Notice>
    </>
  )
}
