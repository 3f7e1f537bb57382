import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { PrintButton } from '../sheet/PrintButton'
import { SheetHead } from '../sheet/SheetHead'
import { Card } from '../ui/Card'
import { CopyButton } from '../ui/CopyButton'
import { Facts } from '../ui/Facts'
import { formatInteger } from '../ui/format'
import { Heading } from '../ui/Heading'
import { Money } from '../ui/Money'
import { Notice } from '../ui/Notice'
import { Page } from '../ui/Page'
import { Time } from '../ui/Time'
import { type ReceivedRepayment, repaymentQuery } from './queries'
import { RepaymentStatus } from './statuses'
import { repaymentWords, withdrawalWords } from './words'

export function RepaymentPage() {
  const { id } = useParams({ from: '/frame/saldo/repasses/$id' })
  const { data: repayment } = useSuspenseQuery(repaymentQuery(id))
  return (
    <>
      <SheetHead />
      <Page
        back={
          <Link to="/saldo/repasses" search={{}}>
            {repaymentWords.title}
          </Link>
        }
        heading={
          <Heading title={repaymentWords.one}>
            <Money value={repayment.netAmount} /> · {repaymentWords.one}
          </Heading>
        }
        status={<RepaymentStatus status={repayment.status} />}
        actions={
          <>
            {repayment.endToEndId && <CopyButton text={repayment.endToEndId} label={withdrawalWords.copyE2e} />}
            <PrintButton />
          </>
        }
      >
        {repayment.status === 'recorded' && <Notice kind="info">{repaymentWords.recorded}</Notice>}
        <Card title={repaymentWords.details}>
          <Facts facts={factsOf(repayment)} />
        </Card>
      </Page>
    </>
  )
}

function factsOf(repayment: ReceivedRepayment) {
  const { concludedAt, deductedAmount, deductedCount } = repayment
  const deducted = deductedCount > 0
  return [
    { term: repaymentWords.from, value: <Time value={repayment.paidFrom} /> },
    { term: repaymentWords.to, value: <Time value={repayment.paidTo} /> },
    { term: repaymentWords.charges, value: formatInteger(repayment.chargesCount) },
    { term: repaymentWords.gross, value: <Money value={repayment.grossAmount} /> },
    { term: repaymentWords.fee, value: <Money value={repayment.feeAmount} /> },
    { term: repaymentWords.deducted, value: deducted && <Money value={deductedAmount} /> },
    { term: repaymentWords.deductedCount, value: deducted && formatInteger(deductedCount) },
    { term: repaymentWords.net, value: <Money value={repayment.netAmount} /> },
    { term: repaymentWords.created, value: <Time value={repayment.createdAt} /> },
    { term: repaymentWords.concluded, value: concludedAt && <Time value={concludedAt} /> },
    { term: 'EndToEndId', value: repayment.endToEndId },
  ]
}
