const secrets = new Map<string, string>()

/** Remember an endpoint's secret until the page is closed, so that its deliveries' signatures are checked by themselves. */
export function rememberSecret(endpointId: string, secret: string): void {
  secrets.set(endpointId, secret)
}

export const secretOf = (endpointId: string): string | undefined => secrets.get(endpointId)
