import { Link } from '@tanstack/react-router'
import { SectionNav } from '../ui/SectionNav'
import { serviceWords } from './words'

export function ServiceNav() {
  return (
    <SectionNav label={serviceWords.title}>
      <Link to="/servico" activeOptions={{ exact: true }}>
        {serviceWords.overview}
      </Link>
      <Link to="/servico/lojistas" search={{}} activeOptions={{ includeSearch: false }}>
        {serviceWords.merchants}
      </Link>
    </SectionNav>
  )
}
