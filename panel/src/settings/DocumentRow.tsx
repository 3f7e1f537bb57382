import { useState } from 'react'
import type { DocumentType } from '../api/gql/graphql'
import { Button } from '../ui/Button'
import { FileButton } from '../ui/FileButton'
import { formatSize } from '../ui/format'
import { messageOf } from '../ui/messageOf'
import { Notice } from '../ui/Notice'
import { Time } from '../ui/Time'
import css from './Checklist.module.css'
import type { SentDocument } from './queries'
import { useUploadDocument } from './useUploadDocument'
import { documentTypes, productionWords } from './words'

const FILES = 'application/pdf,image/jpeg,image/png'
const PHOTOS = 'image/jpeg,image/png'

type Props = { type: DocumentType; sent: SentDocument | undefined; locked: boolean }

/** One document: what was sent, and a file to send. Its size is checked before. */
export function DocumentRow({ type, sent, locked }: Props) {
  const [file, setFile] = useState<File | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [progress, setProgress] = useState<number | null>(null)
  const upload = useUploadDocument()
  const purpose = documentTypes[type]

  function choose(chosen: File) {
    setError(null)
    setFile(chosen)
  }

  async function send(chosen: File) {
    setError(null)
    setProgress(0)
    try {
      await upload(type, chosen, setProgress)
      setFile(null)
    } catch (failure) {
      setError(failure)
    } finally {
      setProgress(null)
    }
  }

  return (
    <div className={css.document}>
      <p className={css.detail}>
        {sent ? (
          <>
            {productionWords.sent(sent.fileName, formatSize(sent.size))} · <Time value={sent.uploadedAt} />
          </>
        ) : (
          productionWords.noFile
        )}
      </p>
      {error !== null && <Notice kind="error">{messageOf(error)}</Notice>}
      {!locked && progress === null && (
        <div className={css.buttons}>
          {file && <Button onClick={() => send(file)}>{productionWords.send(formatSize(file.size))}</Button>}
          <FileButton label={productionWords.photo} purpose={purpose} accept={PHOTOS} camera onChoose={choose} />
          <FileButton
            label={file || sent ? productionWords.replace : productionWords.choose}
            purpose={purpose}
            accept={FILES}
            onChoose={choose}
          />
          {file && <span className={css.detail}>{file.name}</span>}
        </div>
      )}
      {progress !== null && (
        <div className={css.sending}>
          <progress aria-label={purpose} value={progress} />
          <span>{productionWords.sending(Math.round(progress * 100))}</span>
        </div>
      )}
    </div>
  )
}
