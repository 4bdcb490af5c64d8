import type { MessageLike } from '../../log/message.ts'
import { showValue } from '../../log/show-value.ts'
import type { Model, ModelPart, ModelSettings, ToolSpec } from '../../models/model.ts'
import { ModelError } from '../../models/model-error.ts'
import { createNoteScanner, type NoteOptions, type NoteScanner } from '../../notes/index.ts'
import type { ModelReply } from '../model-reply.ts'
import { linkSignals } from '../wait/link-signals.ts'
import { openLimit, withLimit } from '../wait/with-limit.ts'

export interface ModelCall {
  readonly model: Model
  readonly messages: readonly MessageLike[]
  readonly tools: readonly ToolSpec[]
  readonly settings: ModelSettings
  readonly signal: AbortSignal
  /** Undefined: a note in the reply is ordinary text. */
  readonly notes: NoteOptions | undefined
  /** How long the model may be silent. */
  readonly stallMs: number
  /** Called with what may be shown, as it arrives. The stream is not read on before the promise resolves. */
  readonly show: (delta: Delta) => void | Promise<void>
}

export interface Delta {
  readonly type: 'text-delta' | 'thinking-delta'
  readonly text: string
}

/**
 * Calls a model once. Notes are cut out of its text. `reply` is filled as parts arrive, so that nothing is lost when the
 * stream breaks.
 */
export async function callModel(call: ModelCall, reply: ModelReply): Promise<void> {
  const { model, messages, tools, settings, notes, stallMs } = call
  const reading = readDeltas(reply, notes)
  const ids = new Set<string>()
  const own = linkSignals(call.signal)
  const limit = { signal: call.signal, ms: stallMs, late: () => stalled(stallMs) }
  const open = openLimit(limit)
  let stream: AsyncIterator<ModelPart> | undefined
  let isOver = false
  try {
    stream = model.stream({ messages, tools, settings, signal: own.signal })[Symbol.asyncIterator]()
    for (;;) {
      const { done, value: part } = await open.wait(stream.next())
      if (done)
        throw new ModelError('model_stream_broken', `The stream of ${model.name} stopped before its end.`)
      checkPart(model, part)
      if (part.type === 'text-delta' || part.type === 'thinking-delta') {
        const text = reading.push(part)
        const shown = text === '' ? undefined : call.show({ type: part.type, text })
        if (shown) await shown
      } else if (part.type === 'tool-call') {
        const { name, arguments: json } = part
        reply.calls.push({ id: ownId(part.id, ids), name, arguments: json })
      } else {
        reply.usage = part.usage ?? {}
        reply.reason = part.reason
        break
      }
    }
    // If the reply was cut, a text that may be the beginning of a note stays hidden.
    if (reply.reason !== 'length') for (const delta of reading.rest()) await call.show(delta)
    // Reads the stream to its end, so that the connection can be used again, but does not wait for long.
    isOver = await withLimit(stream.next(), { ...limit, ms: Math.min(stallMs, longestEnd) }).then(
      ({ done = false }) => done,
      () => false,
    )
  } catch (error) {
    throw toModelError(error, call.signal)
  } finally {
    open.end()
    reply.note = reading.note()
    if (!isOver) {
      // The reader has left, or the model stalled: the call is given up.
      own.abort(call.signal.reason)
      void (async () => stream?.return?.())().catch(() => undefined)
    }
    own.unlink()
  }
}

const longestEnd = 1000

/** Refuses what is no part: a model may be anybody's, and a text in the wrong field would be lost in silence. */
function checkPart(model: Model, part: ModelPart): void {
  const fields: Readonly<Record<string, unknown>> = { ...part }
  const type = fields.type as ModelPart['type']
  const wanted = Object.hasOwn(texts, type) ? texts[type] : undefined
  if (wanted?.every(field => typeof fields[field] === 'string')) return
  const problem = wanted
    ? `without ${wanted.join(', ')} as text`
    : `which is none of ${Object.keys(texts).join(', ')}`
  const name = showValue(model.name)
  throw new ModelError(
    'model_refused',
    `The model ${name} gave a part of type ${showValue(type)}, ${problem}.`,
  )
}

/** The fields of every part that must be texts. */
const texts: Readonly<Record<ModelPart['type'], readonly string[]>> = {
  'text-delta': ['text'],
  'thinking-delta': ['text'],
  'tool-call': ['id', 'name', 'arguments'],
  end: ['reason'],
}

export const stalled = (ms: number) =>
  new ModelError('model_stalled', `Nothing came from the model for ${ms} ms.`)

/** Turns whatever a model throws into a ModelError. An error that the model did not make is not retried. */
export function toModelError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted || error instanceof ModelError) return error
  return new ModelError('model_refused', error instanceof Error ? error.message : String(error), {
    cause: error,
  })
}

const fields = { 'text-delta': 'text', 'thinking-delta': 'thinking' } as const

/** Fills a reply with text and thoughts. Returns the deltas that may be shown. */
function readDeltas(reply: ModelReply, notes: NoteOptions | undefined) {
  const scanners: Readonly<Record<'text' | 'thinking', NoteScanner>> | undefined = notes && {
    text: createNoteScanner(notes),
    thinking: createNoteScanner(notes),
  }
  return {
    push({ type, text: said }: Delta): string {
      const field = fields[type]
      const text = scanners ? scanners[field].push(said) : said
      reply[field] += text
      return text
    },
    /** The text that was held back because it might have been the beginning of a note. */
    rest(): readonly Delta[] {
      return (['thinking-delta', 'text-delta'] as const).flatMap(type => {
        const text = scanners?.[fields[type]].end().visible ?? ''
        reply[fields[type]] += text
        return text === '' ? [] : [{ type, text }]
      })
    },
    note: () => scanners?.text.end().note,
  }
}

/** Gives a call an id of its own: some servers give every call the same id, or none. */
function ownId(id: string, taken: Set<string>): string {
  let own = id
  for (let n = taken.size + 1; own === '' || taken.has(own); n++) own = `${id || 'call'}_${n}`
  taken.add(own)
  return own
}
