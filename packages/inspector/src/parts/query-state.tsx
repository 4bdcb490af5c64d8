import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiError, AwayError } from '../api/api-error.ts'
import { tryNow } from '../api/connection.ts'
import { Button } from './button.tsx'
import styles from './query-state.module.css'

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

export function QueryFault({
  error,
  onRetry,
}: {
  readonly error: Error
  readonly onRetry: () => void
}) {
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

export interface EmptyStateProps {
  readonly icon?: React.ReactNode
  readonly title: string
  readonly children?: React.ReactNode
  readonly action?: React.ReactNode
  /** `h2` where it is only a part of the page. */
  readonly heading?: 'h1' | 'h2'
}

/** What stands where there is nothing yet: what will be here, and how it comes. */
export function EmptyState({
  icon,
  title,
  children,
  action,
  heading: Heading = 'h1',
}: EmptyStateProps) {
  return (
    <div className={`grid gap-2 tall muted to-middle ${styles.empty}`}>
      {icon}
      <Heading className="heading clear">{title}</Heading>
      {children && <p>{children}</p>}
      {action && <div className={`row wraps at-middle ${styles.action}`}>{action}</div>}
    </div>
  )
}

interface SkeletonProps {
  readonly rows?: number
  readonly label?: string
}

/** The shape of what is coming, in grey. It shows after 150 ms: what comes sooner does not flicker. */
export function Skeleton({ rows = 8, label = 'Loading' }: SkeletonProps) {
  return (
    <Late>
      <div className={`grid gap-3 bones ${styles.skeleton}`} role="status" aria-label={label}>
        {Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows of a shape have no names
          <i key={row} style={{ width: `${widths[row % widths.length]}%` }} />
        ))}
      </div>
    </Late>
  )
}

const widths = [38, 92, 71, 84, 64, 88, 52, 77]

export function Late({
  ms = 150,
  children,
}: {
  readonly ms?: number
  readonly children: React.ReactNode
}) {
  return useLate(ms) ? children : null
}

export function useLate(ms: number): boolean {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return isLate
}
