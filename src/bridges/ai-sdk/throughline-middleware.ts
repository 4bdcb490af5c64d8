import type { Context, FitOptions } from '../../context/context.ts'
import type { MessageLike } from '../../log/message.ts'
import { fitAiSdk } from './fit-ai-sdk.ts'
import { rememberPrompts } from './remember-prompts.ts'

export interface MiddlewareOptions extends Omit<FitOptions, 'tools' | 'previous'> {
  /** Kept free for the reply. Default: the call's `maxOutputTokens`, at most half of the window; else 0. */
  readonly reserve?: number
  /** Called with every context and its receipt before it is sent. */
  readonly onContext?: (context: Context) => void
}

/** The parameters of a call that are read, in AI SDK 5 and 6 alike. */
export interface PromptParams {
  readonly prompt: readonly MessageLike[]
  readonly tools?: readonly unknown[]
  readonly maxOutputTokens?: number
  readonly responseFormat?: { readonly type: string; readonly schema?: unknown }
}

/** The parts of a language model middleware that Throughline implements. */
export interface ThroughlineMiddleware {
  readonly specificationVersion: 'v3'
  readonly transformParams: <P extends PromptParams>(options: { readonly params: P }) => Promise<P>
}

/**
 * A middleware for the AI SDK's `wrapLanguageModel` that fits the prompt of every call into the window.
 *
 * @example
 * const model = wrapLanguageModel({ model: ollama('qwen3'), middleware: throughlineMiddleware({ window: 8192 }) })
 */
export function throughlineMiddleware({
  onContext,
  reserve,
  ...options
}: MiddlewareOptions): ThroughlineMiddleware {
  const recognise = rememberPrompts<MessageLike>()
  return {
    specificationVersion: 'v3',
    async transformParams({ params }) {
      const { prompt, tools = [], maxOutputTokens = 0, responseFormat } = params
      // Some providers write the schema of the reply into the prompt.
      const schema = responseFormat?.schema
      const context = fitAiSdk(recognise(prompt), {
        ...options,
        reserve: reserve ?? Math.min(maxOutputTokens, Math.floor(options.window / 2)),
        tools: [...tools.map(toSentTool), ...(schema === undefined ? [] : [schema])],
      })
      const sent = { ...context, messages: context.messages.map(toPromptForm) }
      onContext?.(sent)
      return { ...params, prompt: sent.messages }
    },
  }
}

/** A tool in the form that most providers are sent, which is a little longer. */
function toSentTool(tool: unknown): unknown {
  const { inputSchema, type, ...rest } = (tool ?? {}) as Record<string, unknown>
  return type === 'function' ? { type, function: { ...rest, parameters: inputSchema } } : tool
}

/** In a prompt, only the content of a system message is a text; other contents must be lists of parts. */
function toPromptForm<M extends MessageLike>(message: M): M {
  const { role, content } = message
  return role !== 'system' && typeof content === 'string'
    ? { ...message, content: [{ type: 'text', text: content }] }
    : message
}
