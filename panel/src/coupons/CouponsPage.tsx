import { Link } from '@tanstack/react-router'
import type { CouponOrder, CouponsQuery } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useConnection } from '../api/useConnection'
import { useCan } from '../frame/queries'
import { exportedFile } from '../list/exportedFile'
import { filterOf } from '../list/filterOf'
import { ListPage } from '../list/ListPage'
import type { ListControls } from '../list/search'
import { useListSearch } from '../list/useListSearch'
import { listWords } from '../list/words'
import { LinkButton } from '../ui/LinkButton'
import { optionsOf } from '../ui/options'
import type { Column } from '../ui/Table'
import { formatUses } from '../ui/uses'
import { CouponStatus } from './CouponStatus'
import { COUPON_FILTERS } from './filters'
import { formatDiscount } from './state'
import { couponExportColumns, couponOrders, couponStatuses, couponWords } from './words'

const COUPONS = graphql(`
  query Coupons($first: Int, $after: String, $filter: CouponFilter, $order: CouponOrder!) {
    coupons(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id code discountType discountValue maxUses usesCount startsAt expiresAt isActive } }
    }
  }
`)

const EXPORT = graphql(`
  mutation ExportCoupons($filter: CouponFilter, $order: CouponOrder!, $format: ExportFormat!, $columns: [CouponColumn!]) {
    exportCoupons(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`)

type Row = NonNullable<CouponsQuery['coupons']>['edges'][number]['node']

const COLUMNS: readonly Column<Row>[] = [
  {
    label: couponWords.code,
    cell: (coupon) => (
      <Link to="/cupons/$id" params={{ id: coupon.id }}>
        {coupon.code}
      </Link>
    ),
  },
  {
    label: couponWords.discount,
    align: 'end',
    cell: (coupon) => formatDiscount(coupon.discountType, coupon.discountValue),
  },
  { label: couponWords.status, cell: (coupon) => <CouponStatus coupon={coupon} /> },
  {
    label: couponWords.uses,
    align: 'end',
    cell: (coupon) => (
      <>
        <span className="phone-only">{couponWords.uses}: </span>
        {formatUses(coupon.usesCount, coupon.maxUses)}
      </>
    ),
  },
]

const CONTROLS: ListControls = {
  tabs: {
    name: 'status',
    label: couponWords.status,
    all: listWords.allMasculine,
    options: optionsOf(couponStatuses),
  },
  filters: COUPON_FILTERS,
  placeholder: couponWords.search,
  orders: optionsOf(couponOrders),
}

export function CouponsPage() {
  const can = useCan()
  const [search, onSearch] = useListSearch(CONTROLS)
  const order = (search.order ?? 'created_at_desc') as CouponOrder
  const selection = { filter: filterOf(search, COUPON_FILTERS), order }
  const list = useConnection(['coupons', search], async (after, signal) => {
    const variables = { first: 25, after, ...selection }
    return present((await request(COUPONS, variables, { signal })).coupons)
  })
  return (
    <ListPage
      title={couponWords.title}
      action={can('createCoupon') && <LinkButton to="/cupons/novo">{couponWords.newCoupon}</LinkButton>}
      search={search}
      onSearch={onSearch}
      {...CONTROLS}
      list={list}
      columns={COLUMNS}
      file={
        can('exportCoupons') &&
        exportedFile(couponExportColumns, async (choice) =>
          present((await request(EXPORT, { ...selection, ...choice })).exportCoupons),
        )
      }
      empty={{ title: couponWords.empty, lead: couponWords.emptyLead, docs: 'grupo-cupons' }}
    />
  )
}
