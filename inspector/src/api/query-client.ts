import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'

/** What was read stays until the server tells of a change: see `listen`. A server that is away is asked again when it is back. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      networkMode: 'always',
      retry: (count, error) => error instanceof ApiError && error.status === 503 && count < 2,
    },
    mutations: { networkMode: 'always' },
  },
})
