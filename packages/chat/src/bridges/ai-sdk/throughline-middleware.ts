import {
  type Context,
  counterOf,
  type FitOptions,
  fitNames,
  orderTools,
} from '@throughline/core/context'
import { likelyReply, replyReserve } from '@throughline/core/counters'
import { refuseUnknown } from '@throughline/core/errors'
import { type MessageLike, type PromptLayout, readMessage } from '@throughline/core/messages'
import { isObject, madeOnce, present } from '@throughline/core/values'
import { chooseMarks } from '@throughline/models/ai-sdk'
import { fitAiSdk } from './fit-ai-sdk.ts'

/** Options of `throughlineMiddleware`. */
export interface MiddlewareOptions extends Omit<FitOptions, 'tools' | 'previous'> {
  /**
   * Kept free for the reply. Default: where the call sets `maxOutputTokens`, what is likely: an eighth of the window, more where
   * replies of the prompt were longer, and never more than `maxOutputTokens`; else 0.
   */
  readonly reserve?: number
  /** Called with every context and its receipt before it is sent. */
  readonly onContext?: (context: Context) => void
}

/** The parameters of a call that are read, in AI SDK 6 and 7 alike. */
export interface PromptParams {
  /** The messages of the call, in the form of the AI SDK's providers. */
  readonly prompt: readonly MessageLike[]
  /** The tools of the call: they are counted. */
  readonly tools?: readonly unknown[]
  /** The most tokens of the reply; `reserve` goes by it where none is set. */
  readonly maxOutputTokens?: number
  /** Its schema is counted, as providers send it. */
  readonly responseFormat?: { readonly type: string; readonly schema?: unknown }
}

/** The parts of a language model middleware that Throughline implements. */
export interface ThroughlineMiddleware {
  /** The version of the interface, which AI SDK 6 and 7 both take. */
  readonly specificationVersion: 'v3'
  /** Fits the prompt of each call. `model` is read to know Anthropic's models. */
  readonly transformParams: <P extends PromptParams>(options: {
    readonly params: P
    readonly model?: { readonly provider: string }
  }) => Promise<P>
}

/**
 * A middleware for the AI SDK's `wrapLanguageModel` that fits the prompt of every call into the window.
 *
 * @example
 * const model = wrapLanguageModel({ model: ollama('qwen3'), middleware: throughlineMiddleware({ window: 8192 }) })
 */
export function throughlineMiddleware(options: MiddlewareOptions): ThroughlineMiddleware {
  const { previous: _, tools: __, ...names } = fitNames
  refuseUnknown(options, { ...names, onContext: 1 })
  const { onContext, reserve, ...settings } = options
  const recognise = rememberPrompts<MessageLike>()
  /** What is known of the system prompt of each conversation, by its first message. */
  const layouts = new WeakMap<object, PromptLayout>()
  const count = counterOf(settings)
  const tokensOf = madeOnce((message: MessageLike) => count.message(readMessage(message, 0)))

  /** The tokens kept free for the reply, at most `limit`. Most replies are shorter, as those in the prompt show. */
  function likelyReserve(
    prompt: readonly MessageLike[],
    tools: readonly unknown[],
    limit: number,
  ): number {
    const sumOf = (role: string, join: (a: number, b: number) => number) =>
      prompt
        .filter(message => message.role === role)
        .reduce((sum, message) => join(sum, tokensOf(message)), 0)
    const head = sumOf('system', (a, b) => a + b) + count.tools(tools)
    const likely = likelyReply(sumOf('assistant', Math.max))
    return replyReserve({ window: settings.window, head, likely, asked: limit }).reserve
  }

  return {
    specificationVersion: 'v3',
    async transformParams({ params, model }) {
      const { tools = [], maxOutputTokens, responseFormat } = params
      // A system prompt that changes does not make a conversation another one.
      const lead = params.prompt.findIndex(message => message?.role !== 'system')
      const conversation = lead < 0 ? [] : recognise(params.prompt.slice(lead))
      const prompt = [
        ...params.prompt.slice(0, params.prompt.length - conversation.length),
        ...conversation,
      ]
      const owner = conversation[0]
      // Some providers write the schema of the reply into the prompt.
      const schema = responseFormat?.schema
      const byTool = new Map(tools.map(tool => [toSentTool(tool), tool]))
      const sentTools = [...byTool.keys(), ...(schema === undefined ? [] : [schema])]
      const promptLayout = owner && layouts.get(owner)
      const isStable = options.systemPrompt === 'as user'
      const offered = isStable ? orderTools(sentTools, promptLayout?.tools).tools : sentTools
      const likely =
        maxOutputTokens === undefined
          ? 0
          : likelyReserve(prompt, offered, Math.max(0, maxOutputTokens))
      const room = { ...present({ promptLayout }), reserve: reserve ?? likely, tools: offered }
      const context = fitAiSdk(prompt, { ...settings, ...room })
      if (owner && context.promptLayout) layouts.set(owner, context.promptLayout)
      const { free, reserve: kept, toolsSaved } = context.receipt
      const toSend = offered.flatMap((one, at) => {
        const tool = byTool.get(one)
        if (tool === undefined) return []
        return [toolsSaved ? fromSentTool(tool, context.tools?.[at]) : tool]
      })
      const { messages } = context
      const isWhole =
        messages.length === prompt.length && messages.every((one, at) => one === prompt[at])
      // A prompt that is sent whole is the application's own, with its own marks.
      const isMarked = !isWhole && isAnthropic.test(model?.provider ?? '')
      const written = messages.map(toPromptForm)
      const sent = {
        ...context,
        messages: isMarked ? markPrompt(written, params.tools ?? []) : written,
      }
      onContext?.(sent)
      return {
        ...params,
        prompt: sent.messages,
        ...(maxOutputTokens !== undefined && {
          maxOutputTokens: Math.min(maxOutputTokens, free + kept),
        }),
        ...((toolsSaved || isStable) && params.tools && { tools: toSend }),
      }
    },
  }
}

/** Providers whose models are asked by Anthropic's Messages: of Anthropic itself, and of Vertex. */
const isAnthropic = /(?:^|\.)anthropic\./

/** A tool in the form that most providers are sent, which is a little longer. */
function toSentTool(tool: unknown): unknown {
  const { inputSchema, type, ...rest } = (tool ?? {}) as Record<string, unknown>
  return type === 'function' ? { type, function: { ...rest, parameters: inputSchema } } : tool
}

function fromSentTool(tool: unknown, sent: unknown): unknown {
  const { type, ...rest } = (tool ?? {}) as Record<string, unknown>
  if (type !== 'function') return sent
  const { parameters: inputSchema, ...fields } = (sent as { function: Record<string, unknown> })
    .function
  return { ...rest, type, ...fields, inputSchema }
}

/** In a prompt, only the content of a system message is a text; other contents must be lists of parts. */
function toPromptForm<M extends MessageLike>(message: M): M {
  const { role, content } = message
  return role !== 'system' && typeof content === 'string'
    ? { ...message, content: [{ type: 'text', text: content }] }
    : message
}

/** A prompt with marks for Anthropic's cache, as far as the application has left some. */
function markPrompt<M extends MessageLike>(prompt: readonly M[], tools: readonly unknown[]): M[] {
  const heads = tools.length > 0 ? [{ role: 'tools', marks: tools.map(markOf) }] : []
  const messages = prompt.map(message => {
    const { role, content } = message
    return { role, marks: [message, ...(Array.isArray(content) ? content : [])].map(markOf) }
  })
  const added = chooseMarks([...heads, ...messages])
  return prompt.map((message, at) => {
    const cacheControl = added.get(heads.length + at)
    if (!cacheControl) return message
    const options = optionsOf(message)
    const anthropic = isObject(options.anthropic) ? options.anthropic : {}
    return {
      ...message,
      providerOptions: { ...options, anthropic: { ...anthropic, cacheControl } },
    }
  })
}

/** The mark of a tool, a message or a part of one, in either of the writings that the provider reads. */
function markOf(value: unknown): unknown {
  const { anthropic } = optionsOf(value)
  return isObject(anthropic) ? (anthropic.cacheControl ?? anthropic.cache_control) : undefined
}

const optionsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isObject(value) && isObject(value.providerOptions) ? value.providerOptions : {}

/** How many conversations are remembered. An older one is only counted again. */
const mostLines = 8

/** Replaces unchanged messages by their objects of the call before: the AI SDK makes new ones, and `fit` remembers by object. */
export function rememberPrompts<M extends object>(): (prompt: readonly M[]) => readonly M[] {
  let lines: readonly (readonly M[])[] = []
  return prompt => {
    let best: readonly M[] = []
    let most = 0
    for (const line of lines) {
      const shared = countShared(line, prompt)
      if (shared > most) [best, most] = [line, shared]
    }
    const same = [...best.slice(0, most), ...prompt.slice(most)]
    // A line that this prompt continues is replaced; one that it only forks from stays.
    const others = lines.filter(line => line !== best || most < line.length)
    lines = [same, ...others].slice(0, mostLines)
    return same
  }
}

function countShared(line: readonly unknown[], prompt: readonly unknown[]): number {
  const most = Math.min(line.length, prompt.length)
  let shared = 0
  while (shared < most && isSame(line[shared], prompt[shared])) shared += 1
  return shared
}

/** Whether two values of messages are equal: plain objects, lists, bytes and URLs. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false
  if (Array.isArray(a)) return isSameList(a, b as readonly unknown[])
  if (a instanceof Uint8Array) return isSameList(a, b as Uint8Array)
  if (a instanceof URL) return a.href === (b as URL).href
  // Dates and the like hide their contents: they are equal only if they are the same object.
  if (Object.getPrototypeOf(a) !== Object.prototype) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every(key => Object.hasOwn(b, key) && isSame(a[key as never], b[key as never]))
  )
}

function isSameList(a: ArrayLike<unknown>, b: ArrayLike<unknown>): boolean {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (!isSame(a[at], b[at])) return false
  return true
}
