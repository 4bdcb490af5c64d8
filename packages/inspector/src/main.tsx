import './tokens.css'
import './base.css'
import './words/layout.css'
import './words/text.css'
import './words/looks.css'
import './words/pieces.css'
import { Tooltip } from '@base-ui/react/tooltip'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, useEffect, useLayoutEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { key, queryClient } from './api/client.ts'
import { listen } from './api/listen.ts'
import { router } from './app/router.tsx'
import { onKeyDown } from './parts/keys.ts'

createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
)

function App() {
  const currentKey = key.use()
  // biome-ignore lint/correctness/useExhaustiveDependencies: with another key, other conversations are heard of
  useEffect(() => listen(), [currentKey])
  useLayoutEffect(() => {
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
  return (
    <QueryClientProvider client={queryClient}>
      <Tooltip.Provider delay={400}>
        <RouterProvider router={router} />
      </Tooltip.Provider>
    </QueryClientProvider>
  )
}
