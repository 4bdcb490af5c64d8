import { ThroughlineError } from '../log/error.ts'
import type { ToolSpec } from '../models/model.ts'
import { type NoteOptions, noteInstruction, noteTool } from '../notes/index.ts'
import type { Asking } from './ask/ask-model.ts'
import { findWindow } from './ask/find-window.ts'
import type { TurnNotes, TurnOptions } from './turn-options.ts'
import { type Limit, withLimit } from './wait/with-limit.ts'

/** The parts of `Asking` that do not come from the options. */
export type AskingPlace = Pick<Asking, 'log' | 'emit' | 'signal' | 'specs' | 'readOn' | 'replies' | 'tally'>

/** Prepares the model calls of a turn: window, system prompt, notes, limits. */
export async function setUpAsking(options: TurnOptions, place: AskingPlace): Promise<Asking> {
  const { model, settings = {}, retries = 3, backoffMs = 500, stallMs = 120_000 } = options
  const { signal } = place
  const window = options.window ?? (await findWindow(model, { signal, retries, backoffMs, stallMs })) ?? 4096
  const reserve = options.reserve ?? Math.min(settings.maxTokens ?? Math.floor(window / 8), window >> 1)
  const notes = notesOf(options)
  const hasNoteTool = notes?.by === 'tool'
  return {
    ...place,
    specs: hasNoteTool ? [...place.specs, noteSpec] : place.specs,
    model,
    window,
    reserve,
    mostResultTokens: options.maxResultTokens ?? Math.floor(window / 4),
    settings,
    retries,
    backoffMs,
    stallMs,
    system: await systemOf(options, notes, { signal, ms: stallMs }),
    notes: notesInReply(options),
    hasNoteTool,
    fit: {
      ...(options.policy && { policy: options.policy }),
      ...(options.pins && { pins: options.pins }),
      ...(options.shape && { shape: options.shape }),
      ...(notes?.place && { notes: notes.place }),
    },
  }
}

function notesOf({
  notes = false,
}: TurnOptions): (TurnNotes & { readonly by: 'reply' | 'tool' }) | undefined {
  if (notes === false) return undefined
  return { by: 'reply', ...(notes === true ? {} : notes) }
}

/** How notes in a reply are marked; undefined if the model writes none there, so that all is ordinary text. */
export function notesInReply(options: TurnOptions): NoteOptions | undefined {
  const notes = notesOf(options)
  return notes?.by === 'reply' ? markerOf(notes) : undefined
}

const markerOf = ({ nonce }: TurnNotes): NoteOptions => (nonce === undefined ? {} : { nonce })

const noteSpec: ToolSpec = noteTool.function

/** The application's own prompt, then what `pins` and `notes` add. */
async function systemOf(
  { system }: TurnOptions,
  notes: ReturnType<typeof notesOf>,
  limit: Pick<Limit, 'signal' | 'ms'>,
): Promise<string | undefined> {
  const ask = async () => (typeof system === 'function' ? system() : system)
  const own = await withLimit(ask(), { ...limit, late: () => noSystem(limit.ms) })
  const asked = notes && (notes.instruction ?? (notes.by === 'reply' ? noteInstruction(markerOf(notes)) : ''))
  const parts = [own, asked].filter(part => part !== undefined && part !== '')
  return parts.length > 0 ? parts.join('\n\n') : undefined
}

const noSystem = (ms: number) =>
  new ThroughlineError(
    'system_stalled',
    `The function that was passed as "system" gave no prompt within ${ms} ms: see what it waits for, or raise stallMs.`,
  )
