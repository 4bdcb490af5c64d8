/** What is to be read before anybody asks for it. */
export interface Job {
  /** Of jobs with the same key only the newest counts: they would overwrite each other at the model server. */
  readonly key: string
  readonly upstream: string
  readonly conversation: string
  /** Has it read. `isLost`: something else was asked there since. Gives the tokens; undefined if there was nothing to do. */
  read(signal: AbortSignal, isLost: boolean): Promise<number | undefined>
}

/** How reading ahead went. */
export interface Reading extends Pick<Job, 'upstream' | 'conversation'> {
  readonly outcome: 'read' | 'cancelled' | 'failed'
  readonly tokens: number
}

export interface ReadAhead {
  /** Has a job done once nobody has been answered for a while. */
  offer(job: Job): void
  /** Something else was asked where the jobs of this key were read. */
  lose(key: string): void
  /** Stops at once: a client waits for an answer. */
  stop(): void
  /** Goes on after a while: nobody is answered now. */
  start(): void
  /** Whether something is read, or will be unless a client asks first. */
  readonly isReading: boolean
}

interface Waiting {
  readonly job: Job
  isDue: boolean
  isLost: boolean
}

/** More conversations than any server has slots. */
const mostJobs = 64

/**
 * Does one job at a time, once nobody has been answered for `quietMs`. A client that goes on at once, as agents do, would
 * else wait while a prompt is made that it has outrun already.
 */
export function createReadAhead(onRead: (reading: Reading) => void, quietMs = 200): ReadAhead {
  const jobs = new Map<string, Waiting>()
  let running: AbortController | undefined
  let quiet: NodeJS.Timeout | undefined
  let isStopped = false

  const dueJob = () => [...jobs.values()].findLast(({ isDue }) => isDue)

  async function run(): Promise<void> {
    const next = dueJob()
    if (!next || running || isStopped) return
    const { job } = next
    const { upstream, conversation } = job
    running = new AbortController()
    const { signal } = running
    const tell = (outcome: Reading['outcome'], tokens = 0) =>
      onRead({ upstream, conversation, outcome, tokens })
    next.isDue = false
    try {
      const tokens = await job.read(signal, next.isLost)
      if (tokens !== undefined) tell('read', tokens)
      next.isLost = false
    } catch {
      next.isDue = signal.aborted
      tell(signal.aborted ? 'cancelled' : 'failed')
    }
    running = undefined
    if (!signal.aborted) await run()
    else if (!isStopped) wait()
  }

  function wait(): void {
    clearTimeout(quiet)
    quiet = setTimeout(() => void run(), quietMs).unref()
  }

  return {
    offer(job) {
      jobs.delete(job.key)
      jobs.set(job.key, { job, isDue: true, isLost: false })
      const [oldest] = jobs.keys()
      if (jobs.size > mostJobs && oldest !== undefined) jobs.delete(oldest)
    },
    lose(key) {
      const found = jobs.get(key)
      if (found) found.isDue = found.isLost = true
    },
    stop() {
      isStopped = true
      clearTimeout(quiet)
      running?.abort()
    },
    start() {
      isStopped = false
      wait()
    },
    get isReading() {
      return running !== undefined || (!isStopped && dueJob() !== undefined)
    },
  }
}
