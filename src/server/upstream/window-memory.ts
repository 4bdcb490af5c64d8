import { askOnce } from '../../models/ask-once.ts'
import type { ModelError } from '../../models/model.ts'

/** The window of each model: asked for once, then remembered until an answer says otherwise. */
export interface WindowMemory<Window> {
  of(model: string, signal?: AbortSignal): Promise<Window>
  /** Learns from a refusal: the true window, or that there is no such model. */
  learn(model: string, error: ModelError): void
}

/** Names come from requests: only so many are remembered. */
const most = 1000

export function windowMemory<Window>(
  find: (model: string, signal: AbortSignal) => Promise<Window>,
): WindowMemory<Window | number> {
  type Ask = (signal?: AbortSignal) => Promise<Window | number>
  const known = new Map<string, Ask>()

  function keep(model: string, ask: Ask): Ask {
    known.set(model, ask)
    const [oldest] = known.keys()
    if (known.size > most && oldest !== undefined) known.delete(oldest)
    return ask
  }

  return {
    of(model, signal) {
      const begin = () => askOnce(asking => find(model, asking))
      return (known.get(model) ?? keep(model, begin()))(signal)
    },
    learn(model, { code, tokens }) {
      if (tokens) keep(model, async () => tokens.window)
      if (code === 'model_not_found') known.delete(model)
    },
  }
}
