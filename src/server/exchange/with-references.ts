import type { MessageLike } from '../../log/message.ts'
import { NotFoundError } from '../../log/not-found-error.ts'
import type { Asked } from './asked.ts'
import { findReply } from './find-reply.ts'

/** The messages of a request, with the replies that its body only names. */
export async function withReferences({ log, request }: Asked): Promise<readonly MessageLike[]> {
  const { messages, named } = request
  const { references = [] } = named
  if (references.length === 0) return messages
  const all: MessageLike[] = []
  let done = 0
  for (const { at, reply } of references) {
    const found = await findReply(log, reply)
    if (!found) throw noItem(reply)
    for (; done < at; done++) all.push(messages[done]!)
    all.push(found.entry.view)
  }
  for (; done < messages.length; done++) all.push(messages[done]!)
  return all
}

const noItem = (reply: string) =>
  new NotFoundError(
    'item_not_found',
    `Item of response 'resp_${reply.slice(0, 100)}' not found. Items are not persisted when "store" is set to false. Try again with "store" set to true, or remove this item from your input.`,
    'input',
  )
