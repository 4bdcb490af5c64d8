import { InvalidOptionError } from '../log/error.ts'
import { showValue } from '../log/show-value.ts'
import type { ChatOptions } from './chat-options.ts'

/** The settings of the history hold for a chat on it. Each may be named in one place, or in both alike. */
export function withHistorySettings(options: ChatOptions): ChatOptions {
  const settings = options.history?.settings ?? {}
  for (const name of ['window', 'reserve', 'policy'] as const) {
    const [own, its] = [options[name], settings[name]]
    if (own === undefined || its === undefined || own === its) continue
    const both = name === 'policy' ? '' : ` (${showValue(its)} and ${showValue(own)})`
    throw new InvalidOptionError(name, `the history has another one${both}: name it in one of both places`)
  }
  const own = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  return { ...settings, ...(own as unknown as ChatOptions) }
}
