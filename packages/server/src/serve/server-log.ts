import { createHmac, randomBytes } from 'node:crypto'
import { ThroughlineError } from '@throughline/core/errors'
import { present } from '@throughline/core/values'
import { createHistory } from '@throughline/history'
import { mainBranch } from '@throughline/history/log'
import type { Store } from '@throughline/stores/store'
import { pino } from 'pino'
import type { ServerConfig } from '../config/config-schema.ts'
import type { Served } from '../exchange/runner.ts'
import { toFault } from '../to-fault.ts'

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
    served({
      requestId,
      adapter,
      model,
      upstream,
      place,
      answered,
      fault,
      unstored,
      trimmed,
      ms,
      ...more
    }: Served): void {
      const { result } = answered ?? {}
      const failed = fault ?? unstored ?? (result?.error && toFault(result.error))
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
        error: failed?.code,
        failure: failed?.failure,
        trimmed: trimmed || undefined,
        stored: unstored && false,
        httpStatus: fault?.status,
      }
      const { otherWindow } = more
      if (otherWindow)
        log.info(
          { requestId, model: facts.model, ...otherWindow },
          'a client asked for another num_ctx than the model has: that of the model counts',
        )
      const isBad = unstored || (fault?.status ?? 0) >= 500 || result?.status === 'failed'
      log[isBad ? 'warn' : 'info'](facts, 'request')
    },
  }
}

/** The part of `@opentelemetry/api` that is used here. */
interface OpenTelemetry {
  readonly trace: {
    getTracer(name: string): {
      startSpan(
        name: string,
        options: {
          kind: number
          startTime: number
          attributes: Readonly<Record<string, Attribute>>
        },
      ): { setStatus(status: { code: number }): unknown; end(time: number): void }
    }
  }
}

type Attribute = string | number | string[]

const clientKind = 2
const errorStatus = 2

/** Reports every request as a span, if the application has `@opentelemetry/api`. No texts are reported. */
export async function openTelemetry(
  load: () => Promise<unknown> = () => import('@opentelemetry/api' as string),
): Promise<((served: Served) => void) | undefined> {
  const api = (await load().catch(() => undefined)) as OpenTelemetry | undefined
  if (!api) return undefined
  const tracer = api.trace.getTracer('throughline')
  return served => {
    const { model = 'unknown', ms, fault, answered } = served
    const end = Date.now()
    const span = tracer.startSpan(`chat ${model.slice(0, 100)}`, {
      kind: clientKind,
      startTime: end - ms,
      attributes: attributesOf(served),
    })
    if (fault || answered?.result.status === 'failed') span.setStatus({ code: errorStatus })
    span.end(end)
  }
}

/** By the names of OpenTelemetry's conventions for generative AI (1.41). They move: this is their only place. */
function attributesOf({ model, upstream, place, answered, fault }: Served) {
  const { promptTokens, replyTokens, cachedTokens } = answered?.result.usage ?? {}
  return present({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': upstream?.kind,
    'throughline.upstream': upstream?.name,
    'gen_ai.request.model': model?.slice(0, 200),
    'gen_ai.conversation.id': place?.thread.conversation,
    'gen_ai.response.finish_reasons': answered?.reply && [answered.reply.reason],
    'gen_ai.usage.input_tokens': promptTokens,
    'gen_ai.usage.output_tokens': replyTokens,
    'gen_ai.usage.cache_read.input_tokens': cachedTokens,
    'error.type': fault?.code ?? answered?.result.error?.code,
  })
}

/** Hides a name: the same name looks the same in all lines of all servers on one log, and says nothing. */
export type HideName = (name: string) => string

/** Hashes with a secret beside the log: logs have more readers than conversations, and plain hashes of names can be guessed. */
export async function createHideName(store: Store): Promise<HideName> {
  const secret = await readSecret(store)
  return name => createHmac('sha256', secret).update(name).digest('base64url').slice(0, 12)
}

/** What became of a request, with names that say nothing. */
export function withoutNames(served: Served, hide: HideName): Served {
  const { place } = served
  if (!place) return served
  const { thread } = place
  const branch = thread.branch === mainBranch ? mainBranch : hide(thread.branch)
  return {
    ...served,
    place: { ...place, thread: { ...thread, conversation: hide(thread.conversation), branch } },
  }
}

/** Where the secret stands. No key can have this tenant, so no request can read it. */
const ownTenant = '~server'

async function readSecret(store: Store): Promise<string> {
  const thread = createHistory({ store, tenant: ownTenant }).thread('names')
  const read = async () => {
    const [first] = await thread.entries()
    const { secret } = (first?.data ?? {}) as { readonly secret?: unknown }
    return typeof secret === 'string' ? secret : undefined
  }
  const stored = await read()
  if (stored !== undefined) return stored
  const fresh = randomBytes(32).toString('base64url')
  const message = { role: 'system', content: 'The secret that hides names in logs' }
  // Where another server is faster, or nothing can be written, the first secret that can be read counts.
  await thread.seed({ message, data: { secret: fresh } }).catch(() => undefined)
  return (await read().catch(() => undefined)) ?? fresh
}
