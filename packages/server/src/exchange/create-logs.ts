import { putNewest } from '@throughline/core/values'
import { createHistory, type HistoryOptions } from '@throughline/history'
import type { Log } from './inquiry.ts'

/** The logs of all tenants on a store; those used last are held, with what they have in memory. */
export function createLogs(options: HistoryOptions & Pick<Log, 'store'>) {
  // One history for all: what it holds in memory is bounded once.
  const history = createHistory(options)
  const logs = new Map<string, Log>()
  return (tenant: string): Log => {
    const log = logs.get(tenant) ?? { store: options.store, tenant, history: history.of(tenant) }
    return putNewest(logs, tenant, log, mostLogs)
  }
}

const mostLogs = 100
