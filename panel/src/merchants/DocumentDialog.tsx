import { useQuery } from '@tanstack/react-query'
import { documentTypes } from '../settings/words'
import { ErrorNotice } from '../ui/ErrorNotice'
import { Modal } from '../ui/Modal'
import { Skeleton } from '../ui/Skeleton'
import css from './DocumentDialog.module.css'
import { documentFile } from './documentFile'
import type { MerchantDocument } from './queries'
import { merchantWords } from './words'

type Props = { merchantId: string; document: MerchantDocument; onClose: () => void }

/** A picture is shown; any document can be downloaded. Each look is in the store's audit trail. */
export function DocumentDialog({ merchantId, document, onClose }: Props) {
  const file = useQuery({
    queryKey: ['merchants', 'document', merchantId, document.id, document.sha256],
    queryFn: ({ signal }) => documentFile(merchantId, document.id, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
  const title = documentTypes[document.type]
  return (
    <Modal title={title} wide onClose={onClose}>
      {file.isPending && <Skeleton lines={4} />}
      {file.error && <ErrorNotice error={file.error} onRetry={file.refetch} />}
      {file.data && (
        <>
          {document.contentType.startsWith('image/') && (
            <img className={css.picture} src={file.data.address} alt={title} />
          )}
          <a className={css.link} href={file.data.address} download={file.data.name}>
            {merchantWords.download}: {file.data.name}
          </a>
        </>
      )}
    </Modal>
  )
}
