import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { GatewayError, Unreachable } from './api/errors'
import { router } from './router'
import { renewSessions } from './session/renewal'
import { resumeByCookie } from './session/resume'
import './ui/tokens.css'
import { StyleFreeProvider } from './ui/StyleFreeProvider'

const MAX_RETRIES = 2

const queries = new QueryClient({
  defaultOptions: {
    // The gateway's refusals stay the same; only lost connections are tried again.
    queries: { retry: (count, error) => !(error instanceof GatewayError) && count < MAX_RETRIES },
  },
})

resumeByCookie()
renewSessions()

const element = document.getElementById('root')
if (element) {
  createRoot(element, { onCaughtError: reportUnexpected }).render(
    <StrictMode>
      <StyleFreeProvider>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </StyleFreeProvider>
    </StrictMode>,
  )
}

/** A page shows why it was refused or not reached. Only what else fails is a fault of the panel. */
function reportUnexpected(error: unknown): void {
  if (!(error instanceof GatewayError || error instanceof Unreachable)) reportError(error)
}
