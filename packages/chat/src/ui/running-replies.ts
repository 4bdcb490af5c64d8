import { sseComment } from '@throughline/models/http'
import { createTape } from '../turn/stream/tape.ts'
import { textWriter, toReadable } from '../turn/stream/to-readable.ts'
import { withResolvers } from '../turn/wait/with-resolvers.ts'

/** A reply that is being made, and can be read by several clients, each from its beginning. */
export type RunningReply = ReturnType<typeof runReply>

export interface ReplyTimes {
  /** How long a reply goes on whose clients have left. Default 30 s. */
  readonly lingerMs?: number
  /** How long a client may leave a stream unread. Default 2 minutes. */
  readonly unreadMs?: number
  /** After how much silence a stream sends a sign of life, before a proxy would cut it off. Default 15 s. */
  readonly keepAliveMs?: number
}

export function createRunningReplies(patience: ReplyTimes) {
  const running = new Map<string, RunningReply>()
  const all = new Set<RunningReply>()
  return {
    get: (name: string) => running.get(name),
    async idle(): Promise<void> {
      while (all.size > 0) await Promise.all([...all].map(({ ended }) => ended))
    },
    /** Takes the events of a reply under a name. `cancel` ends the events. */
    start(name: string, events: AsyncIterable<string>, cancel: () => void): RunningReply {
      const reply = runReply(events, cancel, patience, () => {
        all.delete(reply)
        if (running.get(name) === reply) running.delete(name)
      })
      all.add(reply)
      // Of two at once the second finds the turn open, and is over soon.
      if (!running.has(name)) running.set(name, reply)
      return reply
    },
  }
}

function runReply(
  events: AsyncIterable<string>,
  cancel: () => void,
  { lingerMs = 30_000, unreadMs = 120_000, keepAliveMs = 15_000 }: ReplyTimes,
  onEnd: () => void,
) {
  const tape = createTape<string>()
  let readers = 0
  let isOver = false
  let linger: ReturnType<typeof setTimeout> | undefined
  let left = withResolvers()

  async function run(): Promise<void> {
    try {
      for await (const event of events) tape.push(event)
    } finally {
      isOver = true
      clearTimeout(linger)
      tape.end()
      left.resolve()
      onEnd()
    }
  }

  const ended = run()

  /** Counts a reader; call the result when it has left. A reply that has no reader any longer is cancelled after a while. */
  function join(): () => void {
    if (readers === 0 && !isOver) left = withResolvers()
    readers += 1
    clearTimeout(linger)
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      readers -= 1
      if (readers > 0 || isOver) return
      linger = setTimeout(cancel, lingerMs)
      // Only Node has it: elsewhere a timer keeps nothing alive.
      linger.unref?.()
      left.resolve()
    }
  }

  /** The events so far and those to come. `leave` is called when the client has left or has read everything. */
  function read(leave: () => void): ReadableStream<Uint8Array> {
    const write = textWriter()
    const keepAlive = { ms: keepAliveMs, item: () => [sseComment] }
    return toReadable(tape.read(), batch => write(batch.join('')), {
      onEnd: leave,
      unreadMs,
      keepAlive,
    })
  }

  return {
    join,
    read,
    ended,
    get readers() {
      return readers
    },
    /** Cancels the turn; resolves when it is closed. */
    async cancel(): Promise<void> {
      cancel()
      await ended
    },
    whenLeft: (): Promise<void> => (readers === 0 ? Promise.resolve() : left.promise),
  }
}
