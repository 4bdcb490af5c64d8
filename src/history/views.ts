import type { MessageLike } from '../log/message.ts'
import { toDisplay } from '../notes/to-display.ts'
import { closingMessages } from './closing.ts'
import type { LoggedMessage } from './logged-message.ts'
import { type LogSource, listLog, readLog } from './read-log.ts'

/** What a view can be asked for: the thread as it was when an entry was its last. Default: as it is. */
export interface ViewOptions {
  readonly at?: number
  /** Only the newest so many. Default: all. */
  readonly limit?: number
}

/** The messages of a thread, oldest first. */
export async function viewMessages(
  source: LogSource,
  options?: ViewOptions,
): Promise<readonly MessageLike[]> {
  const logged = await listNewest(source, options)
  const messages = logged.map(({ message }) => message)
  return options?.at === undefined ? [...messages, ...(await unloggedEnd(source))] : messages
}

/** What a user may see: no notes, nothing that we wrote to close a turn. */
export async function viewDisplay(source: LogSource, options?: ViewOptions): Promise<readonly MessageLike[]> {
  const logged = await listNewest(source, options)
  return toDisplay(logged.filter(({ isClosing }) => !isClosing).map(({ message }) => message))
}

/** The notes, oldest first. `limit` counts notes. */
export async function viewNotes(
  source: LogSource,
  { at, limit = Number.POSITIVE_INFINITY }: ViewOptions = {},
): Promise<readonly string[]> {
  const notes: string[] = []
  const range = at === undefined ? {} : { to: at }
  for await (const { message } of readLog(source, { ...range, reverse: true })) {
    if (notes.length >= limit) break
    if (message.role === 'assistant_note') notes.unshift(String(message.content ?? ''))
  }
  return notes
}

/** A turn that a crash left open is rendered as if it were closed; only the next turn writes it down. */
export async function unloggedEnd(source: LogSource): Promise<readonly MessageLike[]> {
  const open = (await source.store.head(source.key))?.open
  if (!open?.isExpired) return []
  return closingMessages(await turnMessages(source, open.first), 'interrupted')
}

/** The messages of a turn, given the places of its entries. */
export async function turnMessages(
  source: LogSource,
  first: number,
  last?: number,
): Promise<readonly MessageLike[]> {
  const logged = await listLog(source, { from: first, ...(last === undefined ? {} : { to: last }) })
  return logged.map(({ message }) => message)
}

/** The newest entries of a thread, oldest first. */
export async function listNewest(
  source: LogSource,
  { at, limit }: ViewOptions = {},
): Promise<readonly LoggedMessage[]> {
  const range = at === undefined ? {} : { to: at }
  if (limit === undefined) return listLog(source, range)
  return (await listLog(source, { ...range, limit, reverse: true })).toReversed()
}
