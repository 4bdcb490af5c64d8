import type { Context, FitOptions } from '../../context/context.ts'
import type { MessageLike } from '../../log/message.ts'
import { fitAiSdk } from './fit-ai-sdk.ts'
import { type ToolSetLike, toolSchemas } from './tool-schemas.ts'

export interface FitStepOptions extends Omit<FitOptions, 'tools' | 'previous'> {
  /** The `system` of the same call, which a step does not get: it is counted, and carries the pins. */
  readonly system?: string | SystemMessage | readonly SystemMessage[]
  /** The `tools` of the same call, which a step does not get: they are counted. */
  readonly tools?: ToolSetLike
  /** Called with every context and its receipt before it is sent. */
  readonly onContext?: (context: Context) => void
}

export interface SystemMessage {
  readonly role: 'system'
  readonly content: string
}

/** What the step is sent with. `system` is there only if it changed. */
export interface FittedStep<M> {
  messages: M[]
  system?: { role: 'system'; content: string }[]
}

/**
 * A `prepareStep` for the AI SDK's `generateText`, `streamText` and agents: each step fits into the window, however many
 * rounds of tools there are. The result still holds all messages.
 *
 * @example
 * await generateText({ model, tools, prompt, prepareStep: fitStep({ window: 4096, tools }) })
 */
export function fitStep({
  onContext,
  tools,
  system = [],
  ...options
}: FitStepOptions): <M extends MessageLike>(step: {
  readonly messages: readonly M[]
}) => Promise<FittedStep<M>> {
  const head: readonly SystemMessage[] =
    typeof system === 'string' ? [{ role: 'system', content: system }] : 'role' in system ? [system] : system
  let schemas: Promise<readonly unknown[]> | undefined

  return async <M extends MessageLike>({ messages }: { readonly messages: readonly M[] }) => {
    schemas ??= toolSchemas(tools)
    const context = fitAiSdk<M | SystemMessage>([...head, ...messages], {
      ...options,
      tools: await schemas,
    })
    onContext?.(context)
    if (head.length === 0) return { messages: context.messages as M[] }
    // System messages among the caller's own messages stay there.
    const isOwn = (message: unknown) => messages.includes(message as M)
    const end = context.messages.findIndex(message => message.role !== 'system' || isOwn(message))
    const leading = context.messages.slice(0, end < 0 ? undefined : end)
    const rest = context.messages.slice(leading.length)
    const isSame = leading.length === head.length && leading.every((message, at) => message === head[at])
    return { messages: rest as M[], ...(isSame ? {} : { system: leading as SystemMessage[] }) }
  }
}
