import {
  BadRequestError,
  NotFoundError,
  showValue,
  ThroughlineError,
} from '@throughline/core/errors'
import { isExperimentNamed, isReserved, reservedName } from '@throughline/history/log'
import { type Adapter, type AdapterFault, errorsAt } from '@throughline/models/dialects'
import type { ThreadKey } from '@throughline/stores/store'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { Log } from '../exchange/inquiry.ts'
import { faultResponse } from '../exchange/reply-writer.ts'
import { errorBody } from '../to-fault.ts'
import type { Caller, KeyScope, ServerEnv } from './caller.ts'

/** Lets only callers with a scope through. Every route but those of health has one. */
export const requireScope = (scope: KeyScope) =>
  createMiddleware<ServerEnv>(async (context, next) => {
    if (context.get('caller').scopes.includes(scope)) return next()
    throw new ThroughlineError('no_scope', `The key of this request has no scope "${scope}".`)
  })

/** Refuses the names that the library keeps for itself: its plans, prompts and side requests are no conversation. */
export function refuseInner(
  named: Partial<Pick<ThreadKey, 'conversation' | 'actor' | 'branch'>> | undefined,
): void {
  for (const field of ['conversation', 'actor', 'branch'] as const) {
    const name = named?.[field]
    if (name !== undefined && isReserved(name))
      throw new BadRequestError(`The ${field} ${reservedName(name)}.`, field)
  }
}

/** Refuses to open a WebSocket. Programs that try one first, such as Codex, then ask by HTTP. */
export function refuseSocket(headers: Headers): void {
  const wanted = (headers.get('upgrade') ?? '').toLowerCase().split(',')
  if (wanted.some(name => name.trim() === 'websocket'))
    throw new ThroughlineError(
      'no_websocket',
      'There are no WebSockets here: send the same request by HTTP.',
    )
}

/** A person can only read their own conversations: all others count as not found. */
export async function refuseOthers(
  { store, tenant, history: { person } }: Log,
  only: string,
): Promise<void> {
  if (person === undefined) return
  const [conversation] = await store.conversations(tenant, { only, person })
  if (!conversation) throw notFound('conversation', only)
}

/** The error for missing things and for those of other tenants, which must look the same. */
export const notFound = (what: string, name: string) =>
  new NotFoundError(`no_${what}`, `There is no ${what} ${showValue(name)}.`)

/** To those who may not inspect, an experiment is not there: not to be read, and not to be gone on with by a model. */
export async function refuseExperiment(
  { store, tenant }: Pick<Log, 'store' | 'tenant'>,
  conversation: string | undefined,
  { scopes }: Pick<Caller, 'scopes'>,
): Promise<void> {
  if (conversation === undefined || scopes.includes('inspect')) return
  if (await isExperimentNamed(store, { tenant, conversation }))
    throw notFound('conversation', conversation)
}

/** Refuses a request, in the words of the adapter that it came to. */
export function refuse(context: Context<ServerEnv>, fault: AdapterFault): Response {
  const requestId = context.get('requestId')
  return faultResponse(adapterOf(context.req.path), fault, requestId, {
    'x-request-id': requestId,
    // HTTP demands that this answer names what is spoken here.
    ...(fault.status === 426 && { upgrade: 'HTTP/1.1', connection: 'upgrade' }),
    ...(fault.status === 401 && { 'www-authenticate': 'Bearer realm="throughline"' }),
  })
}

const ownApi: Pick<Adapter, 'fault'> = {
  fault: fault => ({ status: fault.status, body: errorBody(fault) }),
}

function adapterOf(path: string): Pick<Adapter, 'fault'> {
  if (path.startsWith('/throughline/')) return ownApi
  const plain = path.replace(/^\/c\/[^/]*/, '')
  return errorsAt(plain)
}
