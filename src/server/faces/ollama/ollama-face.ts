import type { Face, FaceFault } from '../face.ts'
import { readRequest } from './read-request.ts'
import { streamLines, toAnswer, toError } from './write-reply.ts'

/** `/api/chat`. */
export const ollamaFace: Face = {
  name: 'ollama',
  streamType: 'application/x-ndjson',
  read: readRequest,
  stream: streamLines,
  whole: toAnswer,
  fault: (fault: FaceFault) => ({
    status: fault.code === 'context_too_long' ? 400 : fault.status,
    body: toError(fault),
  }),
}
