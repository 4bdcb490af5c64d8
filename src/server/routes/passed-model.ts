import { attempt } from '../../log/attempt.ts'
import { BadRequestError } from '../../log/bad-request-error.ts'
import { isObject } from '../../log/parse-json.ts'
import { parseBody } from '../guard/parse-body.ts'
import type { PassedRequest } from '../upstream/upstream.ts'
import { atMost, bodyOf, unpackerOf } from './read-body.ts'
import type { ServerParts } from './server-parts.ts'

/** What is passed on of a request, and the model that it names. A body is read only where its model decides something. */
export async function readModel(
  request: Request,
  path: string,
  { upstreams, maxBodyBytes, json }: ServerParts,
): Promise<{ readonly body?: NonNullable<PassedRequest['body']>; readonly model?: string }> {
  const [, id] = /^\/v1\/models\/([^/]+)$/.exec(path) ?? []
  if (id !== undefined) return { model: attempt(() => decodeURIComponent(id), id) }
  if (!request.body) return {}
  const isDecided = upstreams.all.length === 1 && path !== '/api/show'
  if (isDecided || path.startsWith('/api/blobs/')) return { body: atMost(request.body, maxBodyBytes) }
  const unpack = unpackerOf(request)
  const body = await bodyOf(request, maxBodyBytes)
  const type = request.headers.get('content-type') ?? ''
  const fields = type.startsWith('multipart/form-data')
    ? await fieldsOf(body, type)
    : parseBody(await unpack(body, maxBodyBytes), json)
  // Ollama's older name of the field, and the one of the model that is copied.
  const model = isObject(fields) ? (fields.model ?? fields.name ?? fields.source) : undefined
  if (typeof model === 'string' && model !== '') return { body, model }
  throw new BadRequestError('Name a model: it decides which upstream answers.', 'model')
}

async function fieldsOf(body: Buffer, type: string): Promise<object> {
  const form = new Response(new Uint8Array(body), { headers: { 'content-type': type } })
  return form.formData().then(Object.fromEntries, () => {
    throw new BadRequestError('The form cannot be read.')
  })
}
