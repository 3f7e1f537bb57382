import { webhookWords } from './words'

const TEST_RECEIVER = 'gateway:test-receiver'

export const isTestReceiver = ({ url }: { url: string }): boolean => url === TEST_RECEIVER

/** Where an endpoint receives. */
export function EndpointAddress({ url }: { url: string }) {
  return <>{isTestReceiver({ url }) ? webhookWords.receiver : url}</>
}
