import { useQueryClient } from '@tanstack/react-query'
import { graphql } from '../api/graphql'
import { request } from '../api/request'
import { useCan } from '../frame/queries'
import { ActionButton } from '../ui/ActionButton'
import { ConfirmButton } from '../ui/ConfirmButton'
import { EditButton } from '../ui/EditButtons'
import { useNavigateFromHere } from '../ui/useNavigateFromHere'
import { words } from '../words/pt-BR'
import { type Coupon, couponQuery, refreshCoupons, UPDATE_COUPON } from './queries'
import { couponWords } from './words'

const DELETE = graphql(`
  mutation DeleteCoupon($id: ID!) { deleteCoupon(id: $id) { id } }
`)

/** What may be done with the coupon now. */
export function CouponActions({ coupon }: { coupon: Coupon }) {
  const can = useCan()
  const cache = useQueryClient()
  const navigate = useNavigateFromHere()
  const { id, isActive } = coupon

  async function activate() {
    await request(UPDATE_COUPON, { input: { id, isActive: !isActive } })
    await refreshCoupons(cache)
  }

  async function remove() {
    await request(DELETE, { id })
    await navigate({ to: '/cupons', search: {} })
    cache.removeQueries(couponQuery(id))
    await refreshCoupons(cache)
  }

  return (
    <>
      {can('updateCoupon') && <EditButton />}
      {can('updateCoupon') && (
        <ActionButton label={isActive ? couponWords.deactivate : couponWords.activate} onAct={activate} />
      )}
      {can('deleteCoupon') && (
        <ConfirmButton
          label={words.remove}
          title={couponWords.removeTitle}
          lead={couponWords.removeLead}
          confirm={couponWords.removeConfirm}
          onConfirm={remove}
          instead={
            isActive &&
            can('updateCoupon') && {
              code: 'MUITAS_REFERENCIAS',
              label: couponWords.deactivate,
              onConfirm: activate,
            }
          }
        />
      )}
    </>
  )
}
