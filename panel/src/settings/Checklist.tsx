import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { DocumentType } from '../api/gql/graphql'
import { ActionButton } from '../ui/ActionButton'
import { Status } from '../ui/Status'
import css from './Checklist.module.css'
import { DocumentRow } from './DocumentRow'
import { type Production, type SentDocument, useUpdateProfile } from './queries'
import { documentTypes, productionWords } from './words'

const DOCUMENT_TYPES = Object.keys(documentTypes) as DocumentType[]
const TERMS = 'accept_production_terms'

type Props = { production: Production; documents: readonly SentDocument[]; locked?: boolean }

/** What the request needs, as the gateway lists it, with the place to fill it in. */
export function Checklist({ production, documents, locked = false }: Props) {
  const { pendencias } = production
  return (
    <ul className={css.list}>
      <Item title={productionWords.company} missing={pendencias.includes('company')}>
        {pendencias.includes('company') && <FillLink />}
      </Item>
      <Item title={productionWords.cnpj} missing={pendencias.includes('cnpj')}>
        {pendencias.includes('cnpj') && <FillLink />}
      </Item>
      {DOCUMENT_TYPES.map((type) => (
        <Item key={type} title={documentTypes[type]} missing={pendencias.includes(type)}>
          <DocumentRow type={type} sent={documents.find((document) => document.type === type)} locked={locked} />
        </Item>
      ))}
      <Item title={productionWords.terms} missing={pendencias.includes(TERMS)}>
        <Terms url={production.termosUrl} missing={pendencias.includes(TERMS)} />
      </Item>
    </ul>
  )
}

function Item({ title, missing, children }: { title: string; missing: boolean; children: ReactNode }) {
  return (
    <li className={css.item}>
      <div className={css.head}>
        <strong>{title}</strong>
        <Status tone={missing ? 'waiting' : 'good'}>{missing ? productionWords.missing : productionWords.done}</Status>
      </div>
      {children}
    </li>
  )
}

function FillLink() {
  return (
    <Link to="/ajustes/loja" className={css.link ?? ''}>
      {productionWords.fill}
    </Link>
  )
}

function Terms({ url, missing }: { url: string | null | undefined; missing: boolean }) {
  const update = useUpdateProfile()
  return (
    <div className={css.buttons}>
      {url && (
        <a href={url} target="_blank" rel="noreferrer" className={css.link}>
          {productionWords.readTerms}
        </a>
      )}
      {missing && (
        <ActionButton
          variant="primary"
          label={productionWords.accept}
          onAct={() => update({ acceptProductionTerms: true })}
        />
      )}
    </div>
  )
}
