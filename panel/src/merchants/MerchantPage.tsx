import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { StaffOnly } from '../service/StaffOnly'
import { companyTypes } from '../settings/words'
import { useShortcuts } from '../shortcuts/useShortcuts'
import { Card } from '../ui/Card'
import { Facts } from '../ui/Facts'
import { formatDocument, formatPhone, formatPostalCode } from '../ui/format'
import { Heading } from '../ui/Heading'
import { Page } from '../ui/Page'
import { ProductionStatusLabel } from '../ui/ProductionStatusLabel'
import { Time } from '../ui/Time'
import { Timeline } from '../ui/Timeline'
import { DocumentsCard } from './DocumentsCard'
import { MerchantActions } from './MerchantActions'
import { type Merchant, merchantQuery, queueQuery } from './queries'
import { SubmissionCard } from './SubmissionCard'
import { merchantWords, moves } from './words'

export function MerchantPage() {
  return (
    <StaffOnly>
      <MerchantOf />
    </StaffOnly>
  )
}

function MerchantOf() {
  const { id } = useParams({ from: '/frame/servico/lojistas/$id' })
  const { data: merchant } = useSuspenseQuery(merchantQuery(id))
  return (
    <Page
      back={
        <Link to="/servico/lojistas" search={{}}>
          {merchantWords.back}
        </Link>
      }
      heading={<Heading title={merchant.company ?? merchant.name} />}
      status={<ProductionStatusLabel status={merchant.productionStatus} />}
      // A decision's notice belongs to one merchant.
      actions={<MerchantActions key={id} merchant={merchant} />}
      aside={
        <>
          <NextInQueue id={id} />
          <Card title={merchantWords.history}>
            <Timeline
              entries={merchant.history.map((move) => ({
                id: move.id,
                at: move.createdAt,
                text: move.reason ? `${moves[move.toStatus]}: ${move.reason}` : moves[move.toStatus],
                detail: move.actorName,
              }))}
            />
          </Card>
        </>
      }
    >
      <SubmissionCard merchant={merchant} />
      <DocumentsCard merchant={merchant} />
      <Card title={merchantWords.details}>
        <Facts facts={factsOf(merchant)} />
      </Card>
    </Page>
  )
}

function NextInQueue({ id }: { id: string }) {
  const queue = useQuery(queueQuery)
  const next = queue.data?.find((merchant) => merchant.id !== id)
  const navigate = useNavigate()
  useShortcuts({ n: () => next && void navigate({ to: '/servico/lojistas/$id', params: { id: next.id } }) })
  if (!next) return null
  return (
    <Card title={merchantWords.next}>
      <Link to="/servico/lojistas/$id" params={{ id: next.id }}>
        {next.company ?? next.name}
      </Link>
    </Card>
  )
}

function factsOf(merchant: Merchant) {
  const { companyType, productionTermsAcceptedAt, productionReviewedAt } = merchant
  return [
    { term: merchantWords.person, value: merchant.name },
    { term: merchantWords.email, value: merchant.email },
    { term: merchantWords.phone, value: merchant.phone && formatPhone(merchant.phone) },
    { term: 'CNPJ', value: merchant.cnpj && formatDocument(merchant.cnpj) },
    { term: 'CPF', value: merchant.cpf && formatDocument(merchant.cpf) },
    { term: merchantWords.companyType, value: companyType && labelOf(companyTypes, companyType) },
    { term: merchantWords.address, value: addressOf(merchant) },
    { term: merchantWords.terms, value: productionTermsAcceptedAt && <Time value={productionTermsAcceptedAt} /> },
    { term: merchantWords.reviewed, value: productionReviewedAt && <Time value={productionReviewedAt} /> },
    { term: merchantWords.reason, value: merchant.productionRejectReason },
    { term: merchantWords.created, value: <Time value={merchant.createdAt} /> },
    { term: 'ID', value: merchant.id },
  ]
}

const labelOf = (labels: Partial<Record<string, string>>, value: string): string => labels[value] ?? value

function addressOf(merchant: Merchant): string {
  const { address, addressNumber, complement, province, postalCode } = merchant
  const parts = [address, addressNumber, complement, province, postalCode && formatPostalCode(postalCode)]
  return parts.filter(Boolean).join(', ')
}
