import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Card } from '../ui/Card'
import { Icon } from '../ui/icons'
import css from './HomePage.module.css'
import type { Home } from './queries'
import { homeWords, productionTasks, receivingTasks } from './words'

type Task = { id: string; text: string; link: ReactNode }

/** What waits for a person. Nothing is shown if nothing does. The frame shows deactivated webhooks. */
export function NeedsYou({ home }: { home: Home }) {
  const tasks = tasksOf(home)
  if (tasks.length === 0) return null
  return (
    <Card title={homeWords.needsYou}>
      <ul className={css.tasks}>
        {tasks.map((task) => (
          <li key={task.id} className={css.task}>
            <span>
              <Icon name="alert" size={16} /> {task.text}
            </span>
            {task.link}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function tasksOf({ data }: Home): Task[] {
  const tasks: Task[] = []
  const failing = data.failing?.totalCount ?? 0
  if (failing > 0) {
    const link = (
      <Link to="/assinaturas" search={{ failing: '1' }}>
        {homeWords.solve}
      </Link>
    )
    tasks.push({ id: 'failing', text: homeWords.subscriptionsFailing(failing), link })
  }
  const production = data.production && productionTasks[data.production.status]
  if (production) {
    const link = <Link to="/ajustes/producao">{homeWords.solve}</Link>
    tasks.push({ id: 'production', text: production, link })
  }
  const [last] = data.withdrawals?.edges ?? []
  if (last?.node.status === 'rejected') {
    const link = (
      <Link to="/saldo/saques/$id" params={{ id: last.node.id }}>
        {homeWords.solve}
      </Link>
    )
    tasks.push({ id: 'withdrawal', text: homeWords.withdrawalRejected, link })
  }
  const receiving = data.receivingAccount && receivingTasks[data.receivingAccount.status]
  if (receiving) {
    const link = <Link to="/ajustes/recebimento">{homeWords.solve}</Link>
    tasks.push({ id: 'receiving', text: receiving, link })
  }
  return tasks
}
