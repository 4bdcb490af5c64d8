import { firstWords } from '@throughline/core/recall'
import { isObject, parseJson } from '@throughline/core/values'
import { isSideName } from '@throughline/history/log'
import { erasureOf } from '@throughline/history/threads'
import { clientMessage } from '../identity/client-message.ts'
import type { Inquiry, LogPlace } from './inquiry.ts'

const mostCharacters = 100

/** Keeps the title that a client asked for, if the conversation is there and has none. It is never worth an error. */
export const saveTitle = (inquiry: Inquiry, place: LogPlace, reply: string): Promise<void> =>
  keepTitle(inquiry, place, reply).catch(() => undefined)

async function keepTitle(inquiry: Inquiry, place: LogPlace, reply: string): Promise<void> {
  const { history, store, tenant } = inquiry.log
  const conversation = place.beside ?? place.thread.conversation
  if (!place.isSide || isSideName(conversation) || !asksForTitle(inquiry)) return
  const title = titleIn(reply)
  const [info] = title === '' ? [] : await history.conversations({ only: conversation, limit: 1 })
  // Its client may have given the model the words that were erased.
  const erased = await store.findMarks(tenant, [erasureOf.conversation(conversation)], { limit: 1 })
  if (info && !info.title && erased.length === 0) await history.describe(conversation, { title })
}

/** Whether a side request asks for a title: its header says so, or its wording. */
function asksForTitle({ request, headers }: Inquiry): boolean {
  const task = headers['x-openwebui-task'] ?? headers['x-throughline-task']
  if (task !== undefined) return /title/i.test(task)
  const [first, last] = [request.messages[0], request.messages.at(-1)]
  const texts = [
    request.system ?? '',
    ...[first, last].map(one => (one ? clientMessage(one, 0).reading.text : '')),
  ]
  return texts.some(text => /^.{0,200}\btitle\b/is.test(text.slice(0, 1_000)))
}

/** A title as a model writes it: as JSON, in quotation marks, or after "Title:". */
function titleIn(reply: string): string {
  const json = parseJson(reply.slice(reply.indexOf('{'), reply.lastIndexOf('}') + 1))
  const text = isObject(json) && typeof json.title === 'string' ? json.title : reply
  const line = text.trim().split('\n')[0]!
  return firstWords(
    line.replace(/^(?:title:\s*)?["'“*#\s]+|^title:\s*|["'”*\s]+$/gi, ''),
    mostCharacters,
  )
}
