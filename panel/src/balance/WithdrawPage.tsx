import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useIdempotencyKey } from '../api/useIdempotencyKey'
import { deniedWords } from '../frame/deniedWords'
import { useCan } from '../frame/queries'
import { Form } from '../ui/Form'
import { formatMoney, parseMoney } from '../ui/format'
import { Heading } from '../ui/Heading'
import { Notice } from '../ui/Notice'
import { Page } from '../ui/Page'
import { TextField } from '../ui/TextField'
import { useNavigateFromHere } from '../ui/useNavigateFromHere'
import { AmountField } from './AmountField'
import { ConfirmWithdrawal, type Order } from './ConfirmWithdrawal'
import { PixKeyFields } from './PixKeyFields'
import { summaryQuery } from './queries'
import { balanceWords, pixKeyTypes, withdrawalWords } from './words'

type SecondLook = { order: Order; save: boolean; resolve: () => void; reject: (error: unknown) => void }

/** The amount and the key, then a second look before the money leaves. */
export function WithdrawPage() {
  const { data: summary } = useSuspenseQuery(summaryQuery)
  const can = useCan()
  // Of this page, as a closed dialog must not hide that money has left.
  const navigate = useNavigateFromHere()
  const [look, setLook] = useState<SecondLook | null>(null)
  const [filled, setFilled] = useState({ times: 0, amount: '' })
  const keyOf = useIdempotencyKey()

  /** Ends with the second look, so that what the gateway says of a field is shown at the field. */
  function review({ amount = '', pixKeyType = '', pixKey = '', description = '', saveKey }: Record<string, string>) {
    const [type = 'cpf'] = Object.keys(pixKeyTypes).filter((name): name is Order['pixKeyType'] => name === pixKeyType)
    const order = { amount: parseMoney(amount) ?? 0, pixKeyType: type, pixKey, description: description || null }
    return new Promise<void>((resolve, reject) =>
      setLook({ order, save: saveKey !== undefined, resolve, reject }),
    ).finally(() => setLook(null))
  }

  function fillMost(amount: number) {
    setFilled(({ times }) => ({ times: times + 1, amount: amount.toFixed(2) }))
    look?.resolve()
  }

  return (
    <Page back={<Link to="/saldo">{balanceWords.title}</Link>} heading={<Heading title={withdrawalWords.new} />}>
      {summary.modo === 'conta_unica' ? (
        <Notice kind="info">{balanceWords.shared}</Notice>
      ) : !can('requestWithdrawal') ? (
        <Notice kind="info">{deniedWords.lead}</Notice>
      ) : (
        <>
          <p>{withdrawalWords.available(formatMoney(summary.availableAmount))}</p>
          <Form submit={withdrawalWords.review} onSubmit={review}>
            <AmountField
              key={filled.times}
              defaultValue={filled.amount}
              available={summary.availableAmount}
              onAll={fillMost}
            />
            <PixKeyFields />
            <TextField name="description" label={withdrawalWords.description} maxLength={140} />
          </Form>
        </>
      )}
      {look && (
        <ConfirmWithdrawal
          order={look.order}
          save={look.save}
          keyOf={keyOf}
          onClose={look.resolve}
          onFieldsRefused={look.reject}
          onMost={fillMost}
          onRequested={(id) => navigate({ to: '/saldo/saques/$id', params: { id } })}
        />
      )}
    </Page>
  )
}
