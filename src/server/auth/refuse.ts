import type { Context } from 'hono'
import { faultResponse } from '../exchange/respond.ts'
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

/** The face at an address. Our own API has its errors as OpenAI does. */
function faceOf(path: string): Face {
  const plain = path.replace(/^\/c\/[^/]*/, '')
  if (/^\/v1\/messages(?:$|\/)/.test(plain)) return messagesFace
  if (/^\/v1\/(?:responses|conversations)(?:$|\/)/.test(plain)) return responsesFace
  return /^\/(?:v1|throughline)\//.test(plain) ? openaiFace : ollamaFace
}
