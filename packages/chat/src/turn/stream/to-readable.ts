import { ThroughlineError } from '@throughline/core/errors'
import { within } from '../wait/within.ts'

export interface ReadableOptions<Item> {
  /** Called once, when no more will be read: all was read, the reader has left, or it was cut off. */
  readonly onEnd?: ((reason?: Error) => unknown) | undefined
  /** How long parts may stay unread before the reader is cut off. Default: for ever. */
  readonly unreadMs?: number | undefined
  /** What is given after a silence of some milliseconds: proxies close a silent connection. */
  readonly keepAlive?: { readonly ms: number; readonly item: () => Item } | undefined
}

/** A stream of what an iterator gives, made only as fast as it is read. What `write` makes nothing of is left out. */
export function toReadable<Item, Out>(
  items: AsyncIterator<Item>,
  write: (item: Item) => Out | undefined,
  { onEnd, unreadMs, keepAlive }: ReadableOptions<Item> = {},
): ReadableStream<Out> {
  let next: Promise<IteratorResult<Item>> | undefined
  let unread: ReturnType<typeof setTimeout> | undefined
  let isOver = false

  async function end(reason?: Error): Promise<void> {
    clearTimeout(unread)
    if (isOver) return
    isOver = true
    await onEnd?.(reason)
  }

  /** The next item; the sign of life where none has come for a while. */
  async function take(): Promise<IteratorResult<Item>> {
    next ??= items.next()
    const came = await (keepAlive ? within(next, keepAlive.ms) : next)
    if (!came) return { done: false, value: keepAlive!.item() }
    next = undefined
    return came
  }

  async function pull(controller: ReadableStreamDefaultController<Out>): Promise<void> {
    clearTimeout(unread)
    while (!isOver) {
      const { done, value } = await take()
      if (isOver) return
      if (done) {
        controller.close()
        void end()
        return
      }
      const out = write(value)
      if (out === undefined) continue
      controller.enqueue(out)
      if (unreadMs !== undefined) unread = setTimeout(() => cut(controller), unreadMs)
      return
    }
  }

  /** Gives up a reader that does not read. */
  function cut(controller: ReadableStreamDefaultController<Out>): void {
    const error = new ThroughlineError(
      'client_unread',
      `The client has read nothing for ${unreadMs} ms.`,
    )
    controller.error(error)
    void end(error)
    leave()
  }

  // Not awaited: it waits for the item that is being made.
  const leave = () => void items.return?.()?.catch(() => undefined)

  return new ReadableStream<Out>(
    {
      pull: controller =>
        pull(controller).catch(error => {
          void end(error)
          throw error
        }),
      cancel() {
        const ended = end()
        leave()
        return ended
      },
    },
    { highWaterMark: 0 },
  )
}

/** Writes texts as the bytes of a body; empty texts are left out. */
export function textWriter(): (text: string) => Uint8Array | undefined {
  const encoder = new TextEncoder()
  return text => (text === '' ? undefined : encoder.encode(text))
}
