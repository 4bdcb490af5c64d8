import type { UseQueryResult } from '@tanstack/react-query'
import { ApiError, AwayError } from '../api/api-error.ts'
import { tryNow } from '../api/keep-listening.ts'
import { Button } from './button.tsx'
import { EmptyState } from './empty-state.tsx'
import { Skeleton } from './skeleton.tsx'

export interface QueryStateProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error'> & { readonly refetch: () => unknown }
  readonly children: (data: Data) => React.ReactNode
  /** The shape while it loads; default some rows. */
  readonly loading?: React.ReactNode
}

/** Shows the data of a query; else a skeleton while it loads, or its error. */
export function QueryState<Data>({ query, children, loading }: QueryStateProps<Data>) {
  if (query.data !== undefined) return children(query.data)
  if (query.error) return <QueryFault error={query.error} onRetry={() => void query.refetch()} />
  return loading ?? <Skeleton />
}

export function QueryFault({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  const retry = () => {
    tryNow()
    onRetry()
  }
  const title = error instanceof AwayError ? 'The server does not answer' : titleOf(error)
  return (
    <EmptyState title={title} action={<Button onClick={retry}>Try again</Button>}>
      {error instanceof AwayError
        ? 'It may have been stopped. This page comes back by itself when it is there again.'
        : error.message}
    </EmptyState>
  )
}

function titleOf(error: Error): string {
  if (!(error instanceof ApiError)) return 'This could not be shown'
  if (error.status === 404) return 'Not found'
  if (error.status === 403) return 'This key may not see it'
  if (error.status === 401) return 'A key is needed'
  return 'The server could not answer'
}
