import { createTape } from '../../turn/stream/tape.ts'
import { sseComment, textWriter, toReadable } from '../../turn/stream/to-readable.ts'

/** A reply that is being made, and can be read by several clients, each from its beginning. */
export interface RunningReply {
  /** Counts a reader; call the result when it has left. A reply that nobody reads any longer is cancelled after a while. */
  join(): () => void
  /** The events so far and those to come. `leave` is called when the client has left or has read everything. */
  read(leave: () => void): ReadableStream<Uint8Array>
  readonly readers: number
  /** Resolves when the reply is over. */
  readonly ended: Promise<void>
  /** Cancels the turn; resolves when it is closed. */
  cancel(): Promise<void>
  /** Resolves when nobody reads, or the reply is over. */
  whenLeft(): Promise<void>
}

export interface RunningReplies {
  get(name: string): RunningReply | undefined
  /** Takes the events of a reply under a name. `cancel` ends the events. */
  start(name: string, events: AsyncIterable<string>, cancel: () => void): RunningReply
  /** Resolves when none is being made. */
  idle(): Promise<void>
}

interface Patience {
  /** How long a reply goes on that nobody reads. */
  readonly lingerMs: number
  /** How long a client may leave its stream unread. */
  readonly unreadMs: number
  /** How long a stream may be silent: what stands between would cut it off. */
  readonly keepAliveMs: number
}

/** The replies that this process is making. */
export function createRunningReplies(patience: Patience): RunningReplies {
  const running = new Map<string, RunningReply>()
  const all = new Set<RunningReply>()
  return {
    get: name => running.get(name),
    async idle() {
      while (all.size > 0) await Promise.all([...all].map(({ ended }) => ended))
    },
    start(name, events, cancel) {
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
  { lingerMs, unreadMs, keepAliveMs }: Patience,
  onEnd: () => void,
): RunningReply {
  const tape = createTape<string>()
  let readers = 0
  let isOver = false
  let linger: ReturnType<typeof setTimeout> | undefined
  let leaving: (() => void)[] = []

  function wake(): void {
    for (const one of leaving) one()
    leaving = []
  }

  async function run(): Promise<void> {
    try {
      for await (const event of events) tape.push(event)
    } finally {
      isOver = true
      clearTimeout(linger)
      tape.end()
      wake()
      onEnd()
    }
  }

  const ended = run()

  function join(): () => void {
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
      wake()
    }
  }

  function read(leave: () => void): ReadableStream<Uint8Array> {
    const write = textWriter()
    const keepAlive = { ms: keepAliveMs, item: () => [sseComment] }
    return toReadable(tape.read(), batch => write(batch.join('')), { onEnd: leave, unreadMs, keepAlive })
  }

  return {
    join,
    read,
    ended,
    get readers() {
      return readers
    },
    async cancel() {
      cancel()
      await ended
    },
    whenLeft: () =>
      readers === 0 || isOver ? Promise.resolve() : new Promise(resolve => leaving.push(resolve)),
  }
}
