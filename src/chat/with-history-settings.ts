import { InvalidOptionError } from '../log/error.ts'
import { showValue } from '../log/show-value.ts'
import type { ChatOptions } from './chat-options.ts'

/** Adds the settings of the history to the options of a chat. Refuses a setting that differs between the two. */
export function withHistorySettings(options: ChatOptions): ChatOptions {
  const settings = options.history?.settings ?? {}
  for (const name of ['window', 'reserve', 'policy'] as const) {
    const [own, its] = [options[name], settings[name]]
    if (own === undefined || its === undefined || own === its) continue
    const both = name === 'policy' ? '' : ` (${showValue(its)} and ${showValue(own)})`
    throw new InvalidOptionError(name, `history and chat have different ones${both}: set it in one place`)
  }
  const own = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  return { ...settings, ...(own as unknown as ChatOptions) }
}
