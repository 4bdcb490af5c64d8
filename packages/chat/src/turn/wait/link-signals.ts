/** Aborted with the first of the signals. Unlike `AbortSignal.any` it can be unlinked, so a long-lived signal collects nothing. */
export function linkSignals(...signals: readonly (AbortSignal | undefined)[]) {
  const controller = new AbortController()
  const links: (() => void)[] = []
  for (const signal of signals) {
    if (signal?.aborted) controller.abort(signal.reason)
    else if (signal) links.push(onAbort(signal, () => controller.abort(signal.reason)))
  }
  return {
    signal: controller.signal,
    abort: (reason?: unknown) => controller.abort(reason),
    /** Removes the listeners from the given signals, once the work is over. */
    unlink(): void {
      for (const unlisten of links) unlisten()
    },
  }
}

const listening = new WeakMap<AbortSignal, { actions: Set<() => void>; listener: () => void }>()

/** Runs an action on abort; the result takes that back. A signal has one listener for all: Node warns of more than ten. */
export function onAbort(signal: AbortSignal, action: () => void): () => void {
  const { actions, listener } = listening.get(signal) ?? listenTo(signal)
  // A function of its own, so that an action that was given twice can be taken back once.
  const entry = () => action()
  actions.add(entry)
  return () => {
    actions.delete(entry)
    if (actions.size > 0 || listening.get(signal)?.listener !== listener) return
    listening.delete(signal)
    signal.removeEventListener('abort', listener)
  }
}

function listenTo(signal: AbortSignal) {
  const actions = new Set<() => void>()
  const listener = () => {
    listening.delete(signal)
    for (const action of actions) action()
  }
  const made = { actions, listener }
  listening.set(signal, made)
  signal.addEventListener('abort', listener, { once: true })
  return made
}

interface Limit {
  readonly signal: AbortSignal
  /** How long each wait may take, in milliseconds. Default: as long as a timer can. */
  readonly ms?: number
  readonly late?: () => Error
}

/** The longest time of a timer, nearly 25 days: a longer one would fire at once. */
const longest = 2 ** 31 - 1

/** Opens a limit for successive waits: a timer and a listener for each part of a stream would cost too much. */
export function openLimit({ signal, ms = longest, late }: Limit) {
  let fail: ((reason: unknown) => void) | undefined
  let until = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const most = Math.min(ms, longest)
  const unlisten = onAbort(signal, () => fail?.(signal.reason))

  function look(): void {
    timer = undefined
    if (!fail) return
    const left = until - performance.now()
    if (left > 0) timer = setTimeout(look, left)
    else fail(late?.())
  }

  return {
    /** Waits until the limit or the abort of the signal, whether or not the work listens to the signal. */
    wait<T>(work: Promise<T>): Promise<T> {
      return new Promise((resolve, reject) => {
        if (signal.aborted) reject(signal.reason)
        fail = reject
        until = performance.now() + most
        timer ??= setTimeout(look, most)
        // After the limit the work may still fail: this second rejection has no effect.
        work.then(
          value => {
            fail = undefined
            resolve(value)
          },
          error => {
            fail = undefined
            reject(error)
          },
        )
      })
    },
    end(): void {
      clearTimeout(timer)
      unlisten()
    },
  }
}

export async function withLimit<T>(work: Promise<T>, limit: Limit): Promise<T> {
  const open = openLimit(limit)
  try {
    return await open.wait(work)
  } finally {
    open.end()
  }
}
