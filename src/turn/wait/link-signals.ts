/**
 * A signal that is aborted as soon as one of the given signals is. Unlike `AbortSignal.any` it can be unlinked: a signal
 * that lives as long as the process and is passed to every turn would collect something of each.
 */
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
