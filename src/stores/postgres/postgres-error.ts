import { ThroughlineError } from '../../log/error.ts'
import { OutcomeUnknownError, StoreError, type StoreProblem } from '../store-error.ts'

export function toStoreError(error: unknown, isWrite: boolean): ThroughlineError {
  if (error instanceof ThroughlineError) return error
  if (isLost(error) && isWrite) {
    const problem = `The connection to PostgreSQL was lost before it answered (${messageOf(error)})`
    return new OutcomeUnknownError(problem, error)
  }
  if (isLost(error))
    return new StoreError('store_unavailable', `PostgreSQL went away: ${messageOf(error)}.`, { cause: error })
  const problem = problems.find(([codes]) => codes.test(codeOf(error)))?.[1] ?? 'store_failed'
  const advice = problem === 'store_schema' ? ' Call migrate() first.' : ''
  const message = `PostgreSQL refused (${codeOf(error)}): ${messageOf(error)}.${advice}`
  return new StoreError(problem, message, { cause: error })
}

/** Whether two transactions collided and this one was rolled back: it can be run again. */
export const isCollision = (error: unknown): boolean => /^(40001|40P01)$/.test(codeOf(error))

/** Whether a pooler lent a connection that does not know the prepared statement, or already has it; nothing was run. */
export const isUnprepared = (error: unknown): boolean => /^(26000|42P05)$/.test(codeOf(error))

export const isDuplicate = (error: unknown): boolean => codeOf(error) === '23505'

/** Whether the database did not answer, or said that it is shutting down. */
export const isLost = (error: unknown): boolean =>
  !(error instanceof Error && 'severity' in error) || /^(08|57P0[123]|40003)/.test(codeOf(error))

/** An attempt at several addresses of one name fails with an error that only lists others. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | undefined)?.code ?? '')

const problems: readonly (readonly [RegExp, StoreProblem])[] = [
  // The schema, a table, a column or a function is missing: never made, or older than this program.
  [/^(3F000|42P01|42703|42883)$/, 'store_schema'],
  [/^53100$/, 'store_full'],
  [/^58030$/, 'store_io'],
  [/^XX00[12]$/, 'store_corrupt'],
  [/^25006$/, 'store_read_only'],
  [/^(40001|40P01|55P03|57014)$/, 'store_busy'],
]
