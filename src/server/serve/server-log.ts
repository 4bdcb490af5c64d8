import { pino } from 'pino'
import { ThroughlineError } from '../../log/error.ts'
import type { ServerConfig } from '../config/config-schema.ts'
import type { Served } from '../exchange/runner.ts'

/** The log of the server, a line of JSON for each request. It holds no texts of conversations. */
export function createServerLog(level: ServerConfig['logLevel'], write?: (line: string) => void) {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  const log = write ? pino(options, { write }) : pino(options)
  return {
    started: (url: string, upstream: string) => log.info({ url, upstream }, 'listening'),
    stopped: () => log.info('stopped'),
    deleted: (tenant: string, conversation: string) =>
      log.info({ tenant, conversation }, 'deleted: not used for the time of keepFor'),
    /** Our errors never hold the texts that were sent; of others only the name is told. */
    embedFailed: (error: unknown) =>
      log.warn(
        error instanceof ThroughlineError
          ? { error: error.code, message: error.message }
          : { error: error instanceof Error ? error.name : typeof error },
        'texts got no vectors',
      ),
    served({ requestId, adapter, model, upstream, place, answered, fault, trimmed, ms }: Served): void {
      const { result } = answered ?? {}
      const facts = {
        requestId,
        adapter,
        // Clients choose it.
        model: model?.slice(0, 200),
        upstream: upstream?.name,
        ms: Math.round(ms),
        conversation: place?.thread.conversation,
        branch: place?.thread.branch,
        kind: place?.kind,
        why: place && 'why' in place ? place.why : undefined,
        status: result?.status,
        rounds: result?.rounds,
        usage: result?.usage,
        error: fault?.code ?? result?.error?.code,
        trimmed: trimmed || undefined,
        httpStatus: fault?.status,
      }
      const isBad = (fault?.status ?? 0) >= 500 || result?.status === 'failed'
      log[isBad ? 'warn' : 'info'](facts, 'request')
    },
  }
}
