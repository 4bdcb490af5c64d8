import type { SeenMessage } from '../../history/index.ts'
import { errorsIn } from '../../log/errors-in.ts'
import type { MessageLike } from '../../log/message.ts'
import { readMessage } from '../../log/parse-message.ts'

/** A message of a client with what the client says beside it: whether a tool failed. */
export function seenFromClient(message: MessageLike): SeenMessage {
  const { role, text } = readMessage(message, 0)
  return role === 'tool' ? { message, isError: errorsIn(message)(text, 0) } : { message }
}
