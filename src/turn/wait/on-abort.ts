interface Listening {
  readonly actions: Set<() => void>
  readonly listener: () => void
}

const listening = new WeakMap<AbortSignal, Listening>()

/**
 * Runs an action when a signal is aborted; what it gives takes that back. However many wait for one signal (the tools of a
 * round, the turns of a process), it has one listener: from eleven on Node would print a warning.
 */
export function onAbort(signal: AbortSignal, action: () => void): () => void {
  const { actions, listener } = listening.get(signal) ?? listenTo(signal)
  // Each has its own place, also where the same action is given twice.
  const own = () => action()
  actions.add(own)
  return () => {
    actions.delete(own)
    if (actions.size > 0 || listening.get(signal)?.listener !== listener) return
    listening.delete(signal)
    signal.removeEventListener('abort', listener)
  }
}

function listenTo(signal: AbortSignal): Listening {
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
