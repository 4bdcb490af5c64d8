import type { Face, FaceFault } from '../face.ts'
import { readGenerate, readRequest } from './read-request.ts'
import { streamLines, toAnswer, toError, toGenerated } from './write-reply.ts'

/** `/api/chat`. */
export const ollamaFace: Face = {
  name: 'ollama',
  form: 'ollama',
  streamType: 'application/x-ndjson',
  read: readRequest,
  stream: start => streamLines(start),
  whole: toAnswer,
  fault: (fault: FaceFault) => ({
    status: fault.code === 'context_too_long' ? 400 : fault.status,
    body: toError(fault),
  }),
}

/** `/api/generate`. */
export const generateFace: Face = {
  ...ollamaFace,
  read: readGenerate,
  stream: start => streamLines(start, toGenerated),
  whole: (start, end) => toGenerated(toAnswer(start, end)),
}
