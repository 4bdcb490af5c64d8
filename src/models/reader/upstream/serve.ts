import type { MessageLike } from '../../../log/message.ts'
import { present } from '../../../log/present.ts'
import { type Model, ModelError, type ModelPart, type ModelSettings, type ToolSpec } from '../../model.ts'
import type { ReaderOptions } from '../reader.ts'

export type Body = Readonly<Record<string, unknown>>

/** Answers one route. `left` is aborted when the client is gone, which stops the reader. */
export type Handler = (body: Body | undefined, left: AbortController) => Response | Promise<Response>
export type Routes = Readonly<Record<string, Handler>>

/** What the routes share. */
export interface Upstream {
  readonly models: readonly string[]
  readonly window: number
  readonly now: () => number
  hasModel(name: string): boolean
  /** Makes a reader for one request, with the window that it asks for, but at most the server's. */
  open(options: Pick<ReaderOptions, 'name' | 'overflow' | 'window'>): Model
}

/** Lets a route answer requests for a model that is there, and has `refuse` write the errors of its protocol. */
export function guarded(
  { hasModel }: Upstream,
  refuse: (error: ModelError, status: number) => Response,
  handle: (body: Body, left: AbortController) => Response | Promise<Response>,
): Handler {
  return async (body, left) => {
    try {
      if (body === undefined) throw refused('invalid JSON in the body')
      const name = String(body.model ?? '')
      if (name === '') throw refused('model is required')
      if (!hasModel(name))
        throw new ModelError('model_not_found', `model '${name}' not found`, { status: 404 })
      return await handle(body, left)
    } catch (error) {
      if (error instanceof ModelError) return refuse(error, error.status ?? 500)
      throw error
    }
  }
}

export function refused(message: string): ModelError {
  return new ModelError('model_refused', message, { status: 400 })
}

export type CallPart = Extract<ModelPart, { type: 'tool-call' }>
export type EndPart = Extract<ModelPart, { type: 'end' }>

/** How a protocol writes a reply: whole, or part by part. */
interface Form {
  readonly isStream: boolean
  readonly contentType: string
  readonly write: (part: ModelPart) => string
  readonly whole: (text: string, calls: readonly CallPart[], end: EndPart) => object
}

export async function respond(
  parts: AsyncIterable<ModelPart>,
  form: Form,
  left: AbortController,
): Promise<Response> {
  if (form.isStream) return stream(parts, form, left)
  let text = ''
  const calls: CallPart[] = []
  let end: EndPart = { type: 'end', reason: 'stop', usage: {} }
  for await (const part of parts) {
    if (part.type === 'text-delta') text += part.text
    else if (part.type === 'tool-call') calls.push(part)
    else if (part.type === 'end') end = part
  }
  return Response.json(form.whole(text, calls, end))
}

/** Streams parts as they come. A client that stops reading aborts `left`, and so the reader. */
async function stream(
  parts: AsyncIterable<ModelPart>,
  { contentType, write }: Form,
  left: AbortController,
): Promise<Response> {
  const iterator = parts[Symbol.asyncIterator]()
  // The first part is waited for, so that a refusal becomes a status and not a broken stream.
  let first: IteratorResult<ModelPart> | undefined = await iterator.next()
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = first ?? (await iterator.next())
      first = undefined
      if (done) controller.close()
      else controller.enqueue(encoder.encode(write(value)))
    },
    cancel: reason => left.abort(reason),
  })
  return new Response(body, { headers: { 'content-type': contentType } })
}

/** Reads the messages; absent ones are an empty list. A value that is no list becomes one invalid message. */
export function readMessages({ messages }: Body): readonly MessageLike[] {
  if (messages === undefined || messages === null) return []
  return (Array.isArray(messages) ? messages : [messages]) as readonly MessageLike[]
}

/** Reads tools, which both protocols write as `{ type: 'function', function: { name, description, parameters } }`. */
export function readTools({ tools }: Body): readonly ToolSpec[] {
  const list = Array.isArray(tools) ? (tools as readonly { function?: Partial<ToolSpec> }[]) : []
  return list.flatMap(tool => {
    const { name, description, parameters } = tool?.function ?? {}
    return typeof name === 'string'
      ? [{ name, parameters: parameters ?? {}, ...present({ description }) }]
      : []
  })
}

/** A number above 0, else undefined: `num_predict: -1` means as much as fits. */
export function readCount(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? Math.floor(value) : undefined
}

export function readSettings(most: unknown, stop: unknown, format: unknown): ModelSettings {
  const words: readonly unknown[] = Array.isArray(stop) ? stop : [stop]
  return {
    ...present({ maxTokens: readCount(most), format: (format || undefined) as ModelSettings['format'] }),
    stop: words.filter(word => typeof word === 'string'),
  }
}
