import type { Context } from 'hono'
import {
  type Adapter,
  type AdapterFault,
  messagesAdapter,
  ollamaAdapter,
  openaiAdapter,
  responsesAdapter,
} from '../adapters/index.ts'
import { faultResponse } from '../exchange/reply-writer.ts'
import type { ServerEnv } from './caller.ts'

/** Refuses a request, in the words of the adapter that it came to. */
export function refuse(context: Context<ServerEnv>, fault: AdapterFault): Response {
  const requestId = context.get('requestId')
  return faultResponse(adapterOf(context.req.path), fault, requestId, {
    'x-request-id': requestId,
    ...(fault.status === 401 && { 'www-authenticate': 'Bearer realm="throughline"' }),
  })
}

const ownApi: Pick<Adapter, 'fault'> = {
  fault: ({ status, code, message, field, problems }) => ({
    status,
    body: { error: { code, message, field, problems } },
  }),
}

function adapterOf(path: string): Pick<Adapter, 'fault'> {
  if (path.startsWith('/throughline/')) return ownApi
  const plain = path.replace(/^\/c\/[^/]*/, '')
  if (/^\/v1\/messages(?:$|\/)/.test(plain)) return messagesAdapter
  if (/^\/v1\/(?:responses|conversations)(?:$|\/)/.test(plain)) return responsesAdapter
  return plain.startsWith('/v1/') ? openaiAdapter : ollamaAdapter
}
