import type { MessageLike } from '../log/message.ts'
import type { Model, ModelPart, ModelSettings, ModelUsage, ToolSpec } from '../models/model.ts'
import { ModelError } from '../models/model-error.ts'
import { createNoteScanner, type NoteOptions } from '../notes/index.ts'
import type { ChatPart } from './chat-part.ts'

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
  const { model, messages, tools, settings, notes } = call
  const scanner = notes && createNoteScanner(notes)
  const stall = new AbortController()
  const signal = AbortSignal.any([call.signal, stall.signal])
  const stream = model.stream({ messages, tools, settings, signal })[Symbol.asyncIterator]()
  let isWhole = false
  try {
    for (;;) {
      const { done, value: part } = await inTime(stream.next(), call.stallMs, stall)
      if (done) break
      if (part.type === 'end') isWhole = true
      yield* take(part, reply, scanner)
    }
    if (!isWhole)
      throw new ModelError('model_stream_broken', `The stream of ${model.name} stopped before its end.`)
  } finally {
    const rest = scanner?.end()
    if (rest) {
      reply.text += rest.visible
      reply.note = rest.note
    }
    // A reader that left, or a stall: the model need not go on.
    stall.abort(call.signal.reason)
    if (!isWhole) void Promise.resolve(stream.return?.()).catch(() => undefined)
  }
}

function* take(
  part: ModelPart,
  reply: ModelReply,
  scanner: ReturnType<typeof createNoteScanner> | undefined,
): Generator<ChatPart> {
  switch (part.type) {
    case 'text-delta': {
      const text = scanner ? scanner.push(part.text) : part.text
      reply.text += text
      if (text !== '') yield { type: 'text-delta', text }
      return
    }
    case 'thinking-delta':
      reply.thinking += part.text
      yield part
      return
    case 'tool-call':
      reply.calls.push({ id: part.id, name: part.name, arguments: part.arguments })
      return
    case 'end':
      reply.usage = part.usage
      reply.reason = part.reason
  }
}

/** A stream that says nothing for too long is over. */
async function inTime<T>(next: Promise<T>, stallMs: number, stall: AbortController): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new ModelError('model_stalled', `Nothing came from the model for ${stallMs} ms.`)
      reject(error)
      stall.abort(error)
    }, stallMs)
  })
  next.catch(() => undefined)
  try {
    return await Promise.race([next, late])
  } finally {
    clearTimeout(timer)
  }
}
