import { matchResult } from '../../log/match-result.ts'
import type { Message, MessageLike, ToolCall, ToolResult } from '../../log/message.ts'
import { parseMessage } from '../../log/parse-message.ts'
import type { AiSdkMessage, CallPart, FilePart, PromptPart, ResultPart, TextPart } from './ai-sdk-model.ts'
import { toFilePart } from './to-file-part.ts'
import { toParts } from './to-parts.ts'

type IdentifiedCall = ToolCall & { readonly id: string }

/** Messages of any provider as the prompt of an AI SDK model. */
export function toPrompt(messages: readonly MessageLike[]): AiSdkMessage[] {
  const prompt: AiSdkMessage[] = []
  let open: IdentifiedCall[] = []
  for (const [seq, source] of messages.entries()) {
    const message = parseMessage(source, seq)
    const options = optionsOf(source)
    switch (message.role) {
      case 'system':
        prompt.push({ role: 'system', content: message.text, ...options })
        break
      case 'user':
        prompt.push({ role: 'user', content: toParts(source) as (TextPart | FilePart)[], ...options })
        break
      case 'tool': {
        const content = message.results.map((result, index) => toResult(source, result, index, seq, open))
        const last = prompt.at(-1)
        // The results of one round are one message here.
        if (last?.role === 'tool' && !options) last.content.push(...content)
        else prompt.push({ role: 'tool', content, ...options })
        break
      }
      case 'assistant':
      case 'assistant_note': {
        open = message.calls.map((call, index) => ({ ...call, id: call.id ?? `call_${seq}_${index}` }))
        prompt.push({ role: 'assistant', content: assistantParts(source, message, open), ...options })
      }
    }
  }
  return prompt
}

/** Calls stand beside the content with Ollama and OpenAI, among its parts with the AI SDK. */
function assistantParts(
  source: MessageLike,
  { calls }: Message,
  open: readonly IdentifiedCall[],
): PromptPart[] {
  const parts = toParts(source)
  const inside = parts.filter(part => part.type === 'tool-call').length
  const beside = open.slice(0, calls.length - inside).map(
    ({ id, name, arguments: json }): CallPart => ({
      type: 'tool-call',
      toolCallId: id,
      toolName: name,
      input: readJson(json),
    }),
  )
  return [...parts, ...beside]
}

/** A result with the id and the name of its call, which Ollama's and OpenAI's messages need not have. */
function toResult(
  source: MessageLike,
  result: ToolResult,
  index: number,
  seq: number,
  open: IdentifiedCall[],
): ResultPart {
  const at = matchResult(result, open)
  const [call] = at >= 0 ? open.splice(at, 1) : []
  const { content } = source
  const own = Array.isArray(content) ? content.filter(part => part?.type === 'tool-result')[index] : undefined
  if (own?.output !== undefined && own.toolCallId !== undefined) return own as ResultPart
  return {
    type: 'tool-result',
    // One that answers nothing is passed on: the provider refuses it, and says so.
    toolCallId: call?.id ?? result.callId ?? `call_${seq}_${index}`,
    toolName: call?.name ?? result.name ?? 'unknown',
    output: outputOf(source, result.text),
  }
}

function outputOf(source: MessageLike, text: string): ResultPart['output'] {
  const content = Array.isArray(source.content) ? source.content : []
  const images = [...content, ...(Array.isArray(source.images) ? source.images : [])]
  const files = images.map(toFilePart).filter(file => file !== undefined)
  if (files.length === 0) return { type: 'text', value: text }
  const value = files.map(({ data, mediaType }) =>
    data instanceof URL
      ? { type: 'image-url' as const, url: data.href }
      : { type: 'image-data' as const, data: String(data), mediaType },
  )
  return { type: 'content', value: text === '' ? value : [{ type: 'text', text }, ...value] }
}

/** Settings for one provider, such as its cache: they travel with the message. */
function optionsOf(source: MessageLike): Pick<AiSdkMessage, 'providerOptions'> | undefined {
  const { providerOptions } = source as Pick<AiSdkMessage, 'providerOptions'>
  return providerOptions ? { providerOptions } : undefined
}

/** Arguments that a model wrote need not be JSON; they are sent back as they were. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
