import { lazyRouteComponent } from '@tanstack/react-router'

/** The network failed while the code of a page was read. */
export class PageUnreachable extends Error {
  override readonly name = 'PageUnreachable'
}

export async function isReachable(): Promise<boolean> {
  try {
    return (await fetch(location.pathname, { method: 'HEAD' })).ok
  } catch {
    return false
  }
}

/**
 * A page whose code is read when it is opened. The router reloads where the code is gone, as after a deploy. Without a
 * connection that would take away what is shown.
 */
export function lazyPage<Module extends Record<string, unknown>, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
) {
  async function loadOrExplain(): Promise<Module> {
    try {
      return await load()
    } catch (error) {
      throw (await isReachable()) ? error : new PageUnreachable()
    }
  }
  return lazyRouteComponent(loadOrExplain, name)
}
