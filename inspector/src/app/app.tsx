import { Tooltip } from '@base-ui/react/tooltip'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useEffect, useLayoutEffect } from 'react'
import { key } from '../api/key.ts'
import { listen } from '../api/listen.ts'
import { queryClient } from '../api/query-client.ts'
import { onKeyDown } from '../parts/keys.ts'
import { router } from './router.tsx'

export function App() {
  const currentKey = key.use()
  // biome-ignore lint/correctness/useExhaustiveDependencies: with another key, other conversations are heard of
  useEffect(() => listen(queryClient), [currentKey])
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
