import { useState } from 'react'
import { Form } from '../ui/Form'
import { Modal } from '../ui/Modal'
import { SelectField } from '../ui/SelectField'
import { TextAreaField } from '../ui/TextAreaField'
import { merchantWords, REASONS } from './words'

type Props = {
  title: string
  lead: string
  submit: string
  /** Offer texts to begin with. */
  templates?: boolean
  onClose: () => void
  onSend: (reason: string) => Promise<void>
}

const OPTIONS = [
  { value: '', label: merchantWords.noTemplate },
  ...Object.values(REASONS).map(({ label, text }) => ({ value: text, label })),
]

/** A decision with its reason, which the merchant reads. */
export function ReasonDialog({ title, lead, submit, templates = false, onClose, onSend }: Props) {
  const [text, setText] = useState('')
  return (
    <Modal title={title} lead={lead} onClose={onClose}>
      <Form submit={submit} onSubmit={({ motivo = '' }) => onSend(motivo)}>
        {templates && (
          <SelectField name="template" label={merchantWords.template} options={OPTIONS} onChoose={setText} />
        )}
        <TextAreaField key={text} name="motivo" label={merchantWords.motive} defaultValue={text} required={templates} />
      </Form>
    </Modal>
  )
}
