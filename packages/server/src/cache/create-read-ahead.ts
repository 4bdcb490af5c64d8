/** A prompt that is to be read before it is asked for. */
export interface Job {
  readonly upstream: string
  readonly conversation: string
  /** Has it read. `isLost`: a side request was answered there since. Gives the tokens; undefined if there was nothing to do. */
  read(signal: AbortSignal, isLost: boolean): Promise<number | undefined>
}

export interface ReadAheadResult extends Pick<Job, 'upstream' | 'conversation'> {
  readonly outcome: 'read' | 'cancelled' | 'failed'
  readonly tokens: number
}

export interface ReadAheadOptions {
  readonly onRead: (reading: ReadAheadResult) => void
  /** How long the server must be idle before anything is read. Default 200 ms. */
  readonly quietMs?: number | undefined
  /** How long a client may run its tools before it counts as gone. Default 5 minutes, as Ollama keeps a model and its cache. */
  readonly openTurnMs?: number | undefined
}

interface WaitingJob {
  readonly job: Job
  isDue: boolean
  isLost: boolean
}

interface UpstreamQueue {
  slots: number
  /** The conversations that it has in its slots, the one that was served last at the end, with what may be read ahead for them. */
  readonly served: Map<string, WaitingJob | undefined>
  /** The conversations whose turn is open, until they count as gone. */
  readonly open: Map<string, NodeJS.Timeout>
}

/**
 * Does one job at a time, once the server was idle for `quietMs`: an agent that goes on at once must not wait for an old prompt.
 * No conversation loses its cache to a job: only the last conversations that fill the slots get one, and an upstream with one slot
 * gets none while a turn is open there.
 */
export function createReadAhead({ onRead, quietMs = 200, openTurnMs = 300_000 }: ReadAheadOptions) {
  const upstreams = new Map<string, UpstreamQueue>()
  let running: { readonly upstream: string; readonly abort: AbortController } | undefined
  let quiet: NodeJS.Timeout | undefined
  let isStopped = false

  function at(upstream: string): UpstreamQueue {
    const state = upstreams.get(upstream) ?? { slots: 1, served: new Map(), open: new Map() }
    upstreams.set(upstream, state)
    return state
  }

  function dueJob(): WaitingJob | undefined {
    const free = [...upstreams.values()].filter(({ slots, open }) => slots > 1 || open.size === 0)
    return free.flatMap(({ served }) => [...served.values()]).findLast(waiting => waiting?.isDue)
  }

  async function run(): Promise<void> {
    const next = dueJob()
    if (!next || running || isStopped) return
    const { upstream, conversation } = next.job
    const abort = new AbortController()
    const { signal } = abort
    running = { upstream, abort }
    const tell = (outcome: ReadAheadResult['outcome'], tokens = 0) =>
      onRead({ upstream, conversation, outcome, tokens })
    next.isDue = false
    try {
      const tokens = await next.job.read(signal, next.isLost)
      if (tokens !== undefined) tell('read', tokens)
      next.isLost = false
    } catch {
      next.isDue = signal.aborted
      tell(signal.aborted ? 'cancelled' : 'failed')
    }
    running = undefined
    if (!signal.aborted) await run()
    else wait()
  }

  function wait(): void {
    clearTimeout(quiet)
    if (!isStopped) quiet = setTimeout(() => void run(), quietMs).unref()
  }

  return {
    /** A conversation is asked at an upstream with `slots` slots. Conversations beyond these lose their jobs. */
    serve(upstream: string, conversation: string, slots: number): void {
      const { served, open } = Object.assign(at(upstream), { slots })
      clearTimeout(open.get(conversation))
      open.delete(conversation)
      served.delete(conversation)
      served.set(conversation, undefined)
      for (const oldest of [...served.keys()].slice(0, -slots)) served.delete(oldest)
      if (running?.upstream === upstream) running.abort.abort()
    },
    /** A side request took the only cache of an upstream: what it had of a conversation is to be read again. */
    lose(upstream: string): void {
      for (const waiting of at(upstream).served.values())
        if (waiting) waiting.isDue = waiting.isLost = true
    },
    /** The conversation was answered with calls: its client runs tools, and comes back with their results. */
    leaveOpen(upstream: string, conversation: string): void {
      const { open } = at(upstream)
      const giveUp = () => {
        open.delete(conversation)
        wait()
      }
      open.set(conversation, setTimeout(giveUp, openTurnMs).unref())
    },
    offer(job: Job): void {
      const { served } = at(job.upstream)
      // Another conversation may have been asked while this one was answered.
      if (served.has(job.conversation))
        served.set(job.conversation, { job, isDue: true, isLost: false })
    },
    /** Stops at once: a client waits for an answer. */
    stop(): void {
      isStopped = true
      clearTimeout(quiet)
      running?.abort.abort()
    },
    /** Goes on once the server was idle for `quietMs`: the last answer has ended. */
    start(): void {
      isStopped = false
      wait()
    },
    /** Whether something is read, or will be unless a client asks first. */
    get isReading(): boolean {
      return running !== undefined || (!isStopped && dueJob() !== undefined)
    },
  }
}
