import { Card } from '../ui/Card'
import { Icon } from '../ui/icons'
import css from './HomePage.module.css'
import type { Home } from './queries'
import { homeWords } from './words'

/** What waits for a person. Nothing is shown if nothing does. */
export function NeedsYou({ home }: { home: Home }) {
  const tasks = tasksOf(home)
  if (tasks.length === 0) return null
  return (
    <Card title={homeWords.needsYou}>
      <ul className={css.tasks}>
        {tasks.map((task) => (
          <li key={task} className={css.task}>
            <span>
              <Icon name="alert" size={16} /> {task}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function tasksOf({ data }: Home): string[] {
  const tasks = (data.inactive?.edges ?? []).map((edge) => homeWords.endpointOff(edge.node.name))
  const failing = data.failing?.totalCount ?? 0
  if (failing > 0) tasks.push(homeWords.subscriptionsFailing(failing))
  if (data.production?.status === 'rejected') tasks.push(homeWords.productionRejected)
  if (data.receivingAccount?.status === 'pending') tasks.push(homeWords.receivingDocuments)
  return tasks
}
