import { Status } from '../ui/Status'
import { productWords } from './words'

export function ProductStatus({ active }: { active: boolean }) {
  return <Status tone={active ? 'good' : 'quiet'}>{active ? productWords.active : productWords.inactive}</Status>
}
