/** The parameters of the list of deliveries. */
export const DELIVERY_SEARCH = [
  'q',
  'status',
  'event',
  'httpStatus',
  'eventId',
  'resourceId',
  'createdFrom',
  'createdTo',
  'order',
]
