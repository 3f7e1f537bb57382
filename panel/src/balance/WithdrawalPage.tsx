import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { PrintButton } from '../sheet/PrintButton'
import { SheetHead } from '../sheet/SheetHead'
import { Card } from '../ui/Card'
import { CopyButton } from '../ui/CopyButton'
import { Facts } from '../ui/Facts'
import { Heading } from '../ui/Heading'
import { Money } from '../ui/Money'
import { Notice } from '../ui/Notice'
import { Page } from '../ui/Page'
import { Time } from '../ui/Time'
import { formatPixKey } from './formatPixKey'
import { type Withdrawal, withdrawalQuery } from './queries'
import { WithdrawalStatus } from './statuses'
import { pixKeyTypes, withdrawalWords } from './words'

export function WithdrawalPage() {
  const { id } = useParams({ from: '/frame/saldo/saques/$id' })
  const { data: withdrawal } = useSuspenseQuery(withdrawalQuery(id))
  const { status, rejectReason } = withdrawal
  return (
    <>
      <SheetHead />
      <Page
        back={
          <Link to="/saldo/saques" search={{}}>
            {withdrawalWords.title}
          </Link>
        }
        heading={
          <Heading title={withdrawalWords.one}>
            <Money value={withdrawal.amount} /> · {withdrawalWords.one}
          </Heading>
        }
        status={<WithdrawalStatus status={status} />}
        actions={
          <>
            {withdrawal.endToEndId && <CopyButton text={withdrawal.endToEndId} label={withdrawalWords.copyE2e} />}
            <PrintButton />
          </>
        }
      >
        {status === 'pending' && <Notice kind="info">{withdrawalWords.pending}</Notice>}
        {status === 'processing' && <Notice kind="info">{withdrawalWords.processing}</Notice>}
        {status === 'rejected' && (
          <Notice kind="error">
            {withdrawalWords.wasRejected} {rejectReason}
          </Notice>
        )}
        <Card title={withdrawalWords.details}>
          <Facts facts={factsOf(withdrawal)} />
        </Card>
      </Page>
    </>
  )
}

function factsOf(withdrawal: Withdrawal) {
  const { completedAt, rejectedAt, pixKeyType } = withdrawal
  return [
    { term: withdrawalWords.amount, value: <Money value={withdrawal.amount} /> },
    { term: withdrawalWords.fee, value: <Money value={withdrawal.feeAmount} /> },
    { term: withdrawalWords.net, value: <Money value={withdrawal.netAmount} /> },
    { term: withdrawalWords.key, value: formatPixKey(pixKeyType, withdrawal.pixKey) },
    { term: withdrawalWords.keyType, value: pixKeyTypes[pixKeyType] },
    { term: withdrawalWords.descriptionFact, value: withdrawal.description },
    { term: withdrawalWords.reference, value: withdrawal.externalReference },
    { term: withdrawalWords.created, value: <Time value={withdrawal.createdAt} /> },
    { term: withdrawalWords.completed, value: completedAt && <Time value={completedAt} /> },
    { term: withdrawalWords.rejected, value: rejectedAt && <Time value={rejectedAt} /> },
    { term: 'EndToEndId', value: withdrawal.endToEndId },
  ]
}
