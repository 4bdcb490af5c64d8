import type { Face } from '../face.ts'
import { toOpenAiError } from '../openai-error.ts'
import { readRequest } from './read-request.ts'
import { streamChunks, toCompletion } from './write-reply.ts'

/** `/v1/chat/completions`. */
export const openaiFace: Face = {
  name: 'openai',
  form: 'chat',
  streamType: 'text/event-stream',
  read: readRequest,
  stream: streamChunks,
  whole: toCompletion,
  fault: toOpenAiError,
}
