import { withoutLateSystem } from '@throughline/core/context'
import { ThroughlineError } from '@throughline/core/errors'
import { noteInstruction, noteTool } from '@throughline/core/notes'
import { defaultMaxReply } from './ask/call-model.ts'
import { type AttemptOptions, findWindow, resultLimit } from './ask/find-window.ts'
import type { TurnLog } from './log/turn-log.ts'
import type { Asking, AskOptions, TurnNotes, TurnOptions } from './turn-options.ts'
import { withLimit } from './wait/link-signals.ts'

/** Prepares the model calls of a turn: window, system prompt, notes, limits. `place`: what the options do not say. */
export async function setUpAsking<Place extends Partial<Asking> & Pick<Asking, 'signal' | 'specs'>>(
  options: TurnOptions,
  place: Place,
): Promise<Place & AskOptions> {
  const { model, settings = {}, maxReply = defaultMaxReply, reserve } = options
  const { retries = 3, backoffMs = 500, stallMs = 120_000 } = options
  const { policy, pins, shape, maxToolTokens, marker, overflow = 'trim-results' } = options
  const { isLocal, takesLateSystem = true } = model
  // By default a prompt for a provider stays as its client wrote it.
  const { systemPrompt = isLocal ? 'stable' : 'as sent' } = options
  const patience = { retries, backoffMs, stallMs }
  const window = options.window ?? (await findWindow(model, { ...place, ...patience }))
  const hasNoteTool = notesOf(options)?.by === 'tool'
  return {
    ...place,
    ...patience,
    model,
    window,
    reserve,
    settings,
    maxReply,
    hasNoteTool,
    specs: hasNoteTool ? [...place.specs, noteTool.function] : place.specs,
    mostResultTokens: options.maxResultTokens ?? resultLimit(window),
    system: await systemOf(options, { ...place, ...patience }),
    notes: await notesInReply(options, place.log),
    fit: {
      pins,
      shape,
      overflow,
      maxToolTokens,
      marker,
      // An undefined policy would override that of the history.
      ...(policy && { policy }),
      systemPrompt: takesLateSystem ? systemPrompt : withoutLateSystem(systemPrompt),
      ...notesInContext(options),
    },
  }
}

const notesOf = ({ notes = false }: Pick<TurnOptions, 'notes'>): TurnNotes | undefined =>
  notes === false ? undefined : { by: 'reply', ...(notes === true ? {} : notes) }

/** How notes in a reply are marked. Undefined where no note was asked for or ever seen: then all is ordinary text. */
export async function notesInReply(
  options: Pick<TurnOptions, 'notes'>,
  log?: Pick<TurnLog, 'hasNotes'>,
) {
  const notes = notesOf(options)
  if (notes) return { nonce: notes.nonce }
  return (await log?.hasNotes()) ? {} : undefined
}

/** How the notes of earlier turns are sent. A model that is not asked for notes must not see the form that it would copy. */
export function notesInContext(options: Pick<TurnOptions, 'notes'>) {
  const notes = notesOf(options)
  if (!notes) return { notes: 'system', quoteNotes: 'when cut' } as const
  const { place, nonce, budget, keep } = notes
  return { notes: place, nonce, noteBudget: budget, noteCount: keep }
}

/** The application's own prompt, then what `pins` and `notes` add. */
async function systemOf(options: TurnOptions, { signal, stallMs }: AttemptOptions) {
  const { system } = options
  const notes = notesOf(options)
  const ask = async () => (typeof system === 'function' ? system() : system)
  const problem = `The function that was passed as "system" gave no prompt within ${stallMs} ms: see what it waits for, or raise stallMs.`
  const late = () => new ThroughlineError('system_stalled', problem)
  const prompt = await withLimit(ask(), { signal, ms: stallMs, late })
  const { by, nonce, instruction } = notes ?? {}
  const request = notes && (instruction ?? noteInstruction({ by, nonce }))
  const parts = [prompt, request].filter(part => part !== undefined && part !== '')
  return parts.length > 0 ? parts.join('\n\n') : undefined
}
