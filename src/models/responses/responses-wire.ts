import type { ReplyWire } from '../wire/wire.ts'
import { readResponse, responsesReader } from './read-reply.ts'
import { eachResponseItems } from './to-response-items.ts'

/** OpenAI's Responses: spoken only with clients that speak it themselves. */
export const responsesWire: ReplyWire = {
  form: 'responses',
  path: '/v1/responses',
  each: eachResponseItems,
  piece: 'event',
  lastEvent: '[DONE]',
  read: responsesReader,
  readWhole: readResponse,
}
