import { Button } from '../ui/Button'
import { TypedField } from '../ui/TypedField'
import { withdrawalWords } from './words'

type Props = { defaultValue: string; available: number; onAll: (amount: number) => void }

/** The amount, and a button that fills in all that is available. */
export function AmountField({ defaultValue, available, onAll }: Props) {
  return (
    <>
      <TypedField
        kind="money"
        name="amount"
        label={withdrawalWords.amount}
        defaultValue={defaultValue}
        autoFocus
        required
      />
      {available > 0 && (
        <div>
          <Button type="button" variant="plain" onClick={() => onAll(available)}>
            {withdrawalWords.all}
          </Button>
        </div>
      )}
    </>
  )
}
