import type { Context } from 'hono'
import { faultResponse } from '../exchange/reply-writer.ts'
import {
  type Face,
  type FaceFault,
  messagesFace,
  ollamaFace,
  openaiFace,
  responsesFace,
} from '../faces/index.ts'
import type { ServerEnv } from './caller.ts'

/** Refuses a request, in the words of the face that it came to. */
export function refuse(context: Context<ServerEnv>, fault: FaceFault): Response {
  const requestId = context.get('requestId')
  return faultResponse(faceOf(context.req.path), fault, requestId, {
    'x-request-id': requestId,
    ...(fault.status === 401 && { 'www-authenticate': 'Bearer realm="throughline"' }),
  })
}

/** The errors of our own API. */
const ownApi: Pick<Face, 'fault'> = {
  fault: ({ status, code, message, field, problems }) => ({
    status,
    body: { error: { code, message, field, problems } },
  }),
}

/** The face at an address. */
function faceOf(path: string): Pick<Face, 'fault'> {
  if (path.startsWith('/throughline/')) return ownApi
  const plain = path.replace(/^\/c\/[^/]*/, '')
  if (/^\/v1\/messages(?:$|\/)/.test(plain)) return messagesFace
  if (/^\/v1\/(?:responses|conversations)(?:$|\/)/.test(plain)) return responsesFace
  return plain.startsWith('/v1/') ? openaiFace : ollamaFace
}
