import type { MessageLike } from '../log/message.ts'
import type { Model, ModelPart, ModelSettings, ModelUsage, ToolSpec } from '../models/model.ts'
import { ModelError } from '../models/model-error.ts'
import { createNoteScanner, type NoteOptions, type NoteScanner } from '../notes/index.ts'
import type { ChatPart } from './chat-part.ts'
import { linkSignals } from './link-signals.ts'
import { withLimit } from './with-limit.ts'

/** What a model answered in one call. While it still answers, what has arrived. */
export interface ModelReply {
  text: string
  note: string | undefined
  thinking: string
  readonly calls: ReplyCall[]
  usage: ModelUsage
  reason: 'stop' | 'length' | 'tool-calls' | 'other'
}

export interface ReplyCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

export interface ModelCall {
  readonly model: Model
  readonly messages: readonly MessageLike[]
  readonly tools: readonly ToolSpec[]
  readonly settings: ModelSettings
  readonly signal: AbortSignal
  /** Undefined: a note in the reply is ordinary text. */
  readonly notes: NoteOptions | undefined
  /** How long nothing may come. */
  readonly stallMs: number
}

export const emptyReply = (): ModelReply => ({
  text: '',
  note: undefined,
  thinking: '',
  calls: [],
  usage: {},
  reason: 'other',
})

/**
 * One call of a model. What may be shown is yielded as it arrives, notes are cut out; `reply` is filled as it goes, so
 * that nothing of it is lost when the stream breaks.
 */
export async function* callModel(call: ModelCall, reply: ModelReply): AsyncGenerator<ChatPart, void> {
  const { model, messages, tools, settings, notes, stallMs } = call
  const scanners = notes && { text: createNoteScanner(notes), thinking: createNoteScanner(notes) }
  const over = new AbortController()
  const { signal, unlink } = linkSignals(call.signal, over.signal)
  const stream = model.stream({ messages, tools, settings, signal })[Symbol.asyncIterator]()
  const limit = { signal: call.signal, ms: stallMs, late: () => stalled(stallMs) }
  let isOver = false
  try {
    for (;;) {
      const { done, value: part } = await withLimit(stream.next(), limit)
      if (done)
        throw new ModelError('model_stream_broken', `The stream of ${model.name} stopped before its end.`)
      yield* take(part, reply, scanners)
      if (part.type === 'end') break
    }
    // Of a reply that was cut, what may be the beginning of a note stays hidden.
    if (scanners && reply.reason !== 'length') yield* takeRest(reply, scanners)
    // Read to its very end, so that the connection can be used again; one that does not come is not waited for.
    isOver = await withLimit(stream.next(), { ...limit, ms: Math.min(stallMs, longestEnd) }).then(
      ({ done = false }) => done,
      () => false,
    )
  } finally {
    reply.note = scanners?.text.end().note
    if (!isOver) {
      // A reader that left, or a stall: the model need not go on.
      over.abort(call.signal.reason)
      void Promise.resolve(stream.return?.()).catch(() => undefined)
    }
    unlink()
  }
}

const longestEnd = 1000

/** Nothing came for too long. */
export const stalled = (ms: number) =>
  new ModelError('model_stalled', `Nothing came from the model for ${ms} ms.`)

interface Scanners {
  readonly text: NoteScanner
  readonly thinking: NoteScanner
}

function* take(part: ModelPart, reply: ModelReply, scanners: Scanners | undefined): Generator<ChatPart> {
  switch (part.type) {
    case 'text-delta':
    case 'thinking-delta': {
      const field = part.type === 'text-delta' ? 'text' : 'thinking'
      const text = scanners ? scanners[field].push(part.text) : part.text
      reply[field] += text
      if (text !== '') yield { type: part.type, text }
      return
    }
    case 'tool-call':
      reply.calls.push({ id: ownId(part.id, reply.calls), name: part.name, arguments: part.arguments })
      return
    case 'end':
      reply.usage = part.usage
      reply.reason = part.reason
  }
}

/** What was held back, as it might have been the beginning of a note. */
function* takeRest(reply: ModelReply, scanners: Scanners): Generator<ChatPart> {
  for (const field of ['thinking', 'text'] as const) {
    const text = scanners[field].end().visible
    reply[field] += text
    if (text !== '') yield { type: `${field}-delta`, text }
  }
}

/** Some servers give every call the same id, or none: results could not be told apart. */
function ownId(id: string, calls: readonly ReplyCall[]): string {
  const isFree = (one: string) => one !== '' && !calls.some(call => call.id === one)
  let own = id
  for (let n = calls.length + 1; !isFree(own); n++) own = `${id || 'call'}_${n}`
  return own
}
