import type { Track } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { request } from '../api/request'
import { Card } from '../ui/Card'
import { Form } from '../ui/Form'
import { optionsOf } from '../ui/options'
import { SelectField } from '../ui/SelectField'
import { TextField } from '../ui/TextField'
import { receivingWords, tracks } from './words'

const SIMULATE = graphql(`
  mutation SimulateReceivingReview($input: SimulateReviewInput!) {
    simulateReceivingReview(input: $input) { status }
  }
`)
const TRACKS = Object.keys(tracks) as Track[]

/** In test, the merchant decides as the bank would. */
export function SimulateReviewForm({ onDone }: { onDone: () => Promise<void> }) {
  async function simulate({ geral = '', motivo = '' }: Record<string, string>) {
    const input = { geral: TRACKS.find((track) => track === geral) ?? 'APPROVED', motivo: motivo || null }
    await request(SIMULATE, { input })
    await onDone()
  }

  return (
    <Card title={receivingWords.simulate}>
      <p>{receivingWords.simulateLead}</p>
      <Form submit={receivingWords.simulateSubmit} onSubmit={simulate}>
        <SelectField name="geral" label={receivingWords.decision} options={optionsOf(tracks)} defaultValue="APPROVED" />
        <TextField name="motivo" label={receivingWords.reason} maxLength={200} />
      </Form>
    </Card>
  )
}
