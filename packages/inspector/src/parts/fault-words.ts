import type { ExperimentFaultCode } from '@throughline/experiment/api-types'
import type { FaultCode } from '@throughline/server/api-types'
import { count } from './format.ts'

/** What to do about an error of the server, by its code; `model` is the one that was asked. */
export function adviceFor(code: string, model?: string): string {
  if (code === 'model_not_found' && model !== undefined)
    return `The model ${model} is not known to the upstream: choose another one, or install it there.`
  const words = (advice as Readonly<Record<string, string>>)[code]
  return words ?? 'Try again; if it stays, look into the log of the server.'
}

const shorten =
  'What must be sent does not fit into the window: shorten the message, or choose a model with a larger window.'

/** What this page itself says where no answer came. */
type PageCode = 'server_away' | 'connection_lost'

/** By the codes that the server says: another one breaks the types. */
export const advice: { readonly [Code in FaultCode | ExperimentFaultCode | PageCode]?: string } = {
  turn_open:
    'Another reply is being written here. Wait until it has ended, or go on from an earlier message in a new branch.',
  lease_lost: 'Another client has taken this turn over: what it writes appears here.',
  context_too_long: shorten,
  model_busy: 'The model has too much to do, or a quota is used up: try again in a while.',
  model_unavailable: 'The model server does not answer: start it, then try again.',
  model_not_found:
    'The model server does not have this model: choose another one, or install it there.',
  model_refused: 'The model server refuses the request: look at its key and its settings.',
  model_stalled: 'The model was silent for too long: try again, or choose a faster one.',
  model_stream_broken: 'The answer broke off on its way: try again.',
  no_model: 'The model server has no model: install one there.',
  no_scope:
    'This key may not send messages: open the inspector with a key that has the scope chat.',
  store_full: 'The disk of the log is full: make room, then try again.',
  too_large: 'The message is larger than the server takes: shorten it.',
  server_away: 'The server does not answer. Your text is kept; send it when the server is back.',
  connection_lost: 'What the server has kept is shown when it is back.',
  server_busy:
    'The server is already writing as many replies as it is allowed to: try again in a while.',
}

/** How a turn ended that was not completed, in a few words. */
export function endWords(status: string, code: string | undefined, model?: string): string {
  if (status === 'cancelled') return 'Cancelled: the reply was stopped before its end.'
  if (status === 'interrupted') return 'Interrupted: the reply broke off before its end.'
  if (status !== 'failed') return ''
  return `Failed${code === undefined ? '' : ` (${code})`}: ${adviceFor(code ?? '', model)}`
}

/** `the result of read_file`, `3 results: of read_file and run` */
export function owedWords(tools: readonly string[]): string {
  const names = [...new Set(tools)].slice(0, 4).join(', ')
  return tools.length === 1 ? `the result of ${names}` : `${tools.length} results, of ${names}`
}

interface WarnedCall {
  readonly reported?: number | undefined
  readonly predicted: number
  readonly cacheLost?: string | undefined
}

/** What a warning is called, before its sentence. */
export const warningName = (code: string): string => warningNames[code] ?? code

const warningNames: Readonly<Record<string, string>> = {
  cache_lost: 'Read again',
  prompt_truncated: 'Cut in silence',
  trimmed: 'Shortened',
  over: 'Over the window',
}

export function warningText(code: string, { reported, predicted, cacheLost }: WarnedCall): string {
  if (code === 'prompt_truncated')
    return reported === undefined
      ? 'The model server has cut the prompt in silence'
      : `The model server has cut the prompt in silence: it read ${count(reported)} of ${count(predicted)} tokens`
  if (code === 'cache_lost')
    return `The model server read most of the prompt again${cacheLost === undefined ? '' : `: ${cacheLost}`}`
  return warnings[code] ?? `The call has the warning “${code}”`
}

const warnings: Readonly<Record<string, string>> = {
  trimmed: 'A message was too long for the window, and was shortened',
  over: 'What must be sent is more than the window holds',
}
