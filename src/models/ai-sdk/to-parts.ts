import type { MessageLike } from '../../log/message.ts'
import type { PromptPart } from './ai-sdk-model.ts'
import { toFilePart } from './to-file-part.ts'

type Part = { readonly type: string } & Record<string, unknown>

/** Converts the content of a message to parts of an AI SDK prompt. The AI SDK's own parts stay the same objects. */
export function toParts(source: MessageLike): PromptPart[] {
  const { content, images } = source
  const said = Array.isArray(content) ? content.flatMap(toPart) : textPart(content)
  const shown = Array.isArray(images) ? images.map(image => toFilePart(image)) : []
  const parts: unknown[] = [...reasoningOf(source), ...said, ...shown.filter(file => file !== undefined)]
  // Parts of an unknown kind are passed on: the provider knows or refuses them.
  return parts as PromptPart[]
}

/** The reasoning that Ollama and OpenAI-compatible servers put beside the content, under three names. */
function reasoningOf(source: MessageLike): Part[] {
  const { thinking, reasoning_content, reasoning } = source as MessageLike & Record<string, unknown>
  const text = thinking ?? reasoning_content ?? reasoning
  return typeof text === 'string' && text !== '' ? [{ type: 'reasoning', text }] : []
}

function textPart(text: unknown): Part[] {
  return typeof text === 'string' && text !== '' ? [{ type: 'text', text }] : []
}

function toPart(value: unknown): Part[] {
  if (typeof value === 'string') return textPart(value)
  const part = value as Part
  switch (part.type) {
    case 'input_text':
    case 'output_text':
      return textPart(part.text)
    case 'refusal':
      return textPart(part.refusal)
    case 'thinking':
      return [{ type: 'reasoning', text: part.thinking ?? part.text ?? '' }]
    // Approvals are between an application and its user: the AI SDK does not send them either.
    case 'tool-approval-request':
    case 'tool-approval-response':
      return []
    case 'tool-call':
      return [{ ...part, input: part.input ?? part.args ?? {} }]
    default:
      return [(toFilePart(part) as object as Part | undefined) ?? part]
  }
}
