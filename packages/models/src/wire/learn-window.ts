import { ModelError } from '../model.ts'
import { providerWindow } from '../windows/provider-windows.ts'
import { isToldWindow, type WindowFact, windowSources } from '../windows/window-fact.ts'
import { askOnce } from './ask-once.ts'
import type { Ask, Wire } from './wire.ts'

interface LearntWindowOptions {
  readonly wire: Pick<Wire, 'findWindow' | 'wishWindow'>
  readonly ask: Ask
  readonly address: string
  readonly model: string
  /** The window that was set: only a refusal that names a smaller one corrects it. */
  readonly window: number | undefined
}

export type LearntWindow = ReturnType<typeof learnWindow>

/** The window of a model, as far as it is known: as set, as the server tells it, from the table, or from a refusal. */
export function learnWindow({ wire, ask, address, model, window: setWindow }: LearntWindowOptions) {
  let latest: WindowFact = {}
  let current = begin()

  function begin(): (signal?: AbortSignal) => Promise<WindowFact> {
    if (setWindow !== undefined) return async () => ({ tokens: setWindow, from: windowSources.set })
    return askOnce(findFact)
  }

  async function findFact(signal: AbortSignal): Promise<WindowFact> {
    let isKeyRefused = false
    const asking: Ask = async question => {
      try {
        return await ask(question)
      } catch (error) {
        isKeyRefused ||=
          error instanceof ModelError && (error.status === 401 || error.status === 403)
        throw error
      }
    }
    // No request has named a window while none was known: the server has chosen it.
    const isOwn = latest.mayChange && latest.tokens === undefined
    const fact = await wire.findWindow(asking, model, signal)
    if (fact.tokens !== undefined) return isOwn ? { ...fact, isOwn } : fact
    const listed = providerWindow(address, model)
    // The key of another client may be a good one.
    return listed.tokens === undefined ? { mayChange: fact.mayChange || isKeyRefused } : listed
  }

  function settle(fact: WindowFact): void {
    latest = fact
    current = async () => fact
  }

  return {
    async window(signal?: AbortSignal): Promise<number | undefined> {
      const asked = current
      const fact = await asked(signal)
      if (asked === current) latest = fact
      return fact.tokens
    },
    /** A reply is over: the server may have loaded the model for it. */
    askAgain(): void {
      if (latest.mayChange) current = begin()
    },
    /** What is known without asking. */
    fact: (): WindowFact => latest,
    learn({ code, tokens }: ModelError): void {
      const isSmaller = tokens && tokens.window < (setWindow ?? Number.POSITIVE_INFINITY)
      if (isSmaller) settle({ tokens: tokens.window, from: windowSources.refusal })
      // It may come, with another window. One that was refused without a number may have been loaded with another.
      const isOutdated =
        code === 'context_too_long' && !tokens && latest.from !== windowSources.refusal
      if (code === 'model_not_found' || isOutdated) current = begin()
    },
    /** A client asks for a window: the wire knows whether it counts. Gives the one that does. */
    async wish(tokens: number, signal?: AbortSignal): Promise<WindowFact> {
      if (wire.wishWindow && isToldWindow(tokens) && tokens !== latest.tokens)
        settle(await wire.wishWindow(ask, model, tokens, signal))
      return latest
    },
  }
}
