import type { MessageLike } from '../../log/message.ts'
import { parseJson } from '../../log/parse-json.ts'
import { type PairedCall, type PairedMessage, pairResults } from '../pair-results.ts'
import type { AiSdkMessage, CallPart, FilePart, PromptPart, ResultPart, TextPart } from './ai-sdk-model.ts'
import { toFilePart, toParts } from './to-parts.ts'

/** The ids of calls. A call without one gets an id that is new in the prompt, because some providers insist on it. */
type Ids = Map<PairedCall, string>

/** Converts messages of any provider to the prompt of an AI SDK model. */
export function toPrompt(messages: readonly MessageLike[]): AiSdkMessage[] {
  const prompt: AiSdkMessage[] = []
  const ids: Ids = new Map()
  for (const paired of pairResults(messages)) {
    const { seq, source, message, calls } = paired
    for (const [at, call] of calls.entries()) ids.set(call, call.id ?? `call_${seq}_${at}`)
    const options = optionsOf(source)
    switch (message.role) {
      case 'system':
        prompt.push({ role: 'system', content: message.text, ...options })
        break
      case 'user':
        prompt.push({ role: 'user', content: toParts(source) as (TextPart | FilePart)[], ...options })
        break
      case 'assistant':
        prompt.push({ role: 'assistant', content: assistantParts(paired, ids), ...options })
        break
      case 'tool': {
        const content = toResults(paired, ids)
        const last = prompt.at(-1)
        // In the AI SDK the results of a round are one message.
        if (last?.role === 'tool' && !options) for (const part of content) last.content.push(part)
        else prompt.push({ role: 'tool', content, ...options })
      }
    }
  }
  return prompt
}

/** Puts the calls, which Ollama and OpenAI have beside the content, among the parts. */
function assistantParts({ source, calls }: PairedMessage, ids: Ids): PromptPart[] {
  const parts = toParts(source)
  const inside = parts.filter(part => part.type === 'tool-call').length
  const beside = calls.slice(0, calls.length - inside).map((call): CallPart => {
    const input = parseJson(call.arguments)
    return {
      type: 'tool-call',
      toolCallId: ids.get(call)!,
      toolName: call.name,
      // What a model wrote may be no JSON, and is then sent back as text.
      input: input === undefined ? call.arguments : input,
    }
  })
  return [...parts, ...beside]
}

/** Adds the id and the name of its call to each result: messages of Ollama and OpenAI may lack them. */
function toResults({ source, seq, results }: PairedMessage, ids: Ids): ResultPart[] {
  const parts = (Array.isArray(source.content) ? source.content : []).filter(part => typeof part !== 'string')
  const own = parts.filter(part => part?.type === 'tool-result')
  const images = Array.isArray(source.images) ? source.images : []
  const files = [...parts, ...images].map(toFilePart).filter(file => file !== undefined)
  return results.map(({ call, callId, name, text }, at) => {
    if (own[at]?.output !== undefined && own[at].toolCallId !== undefined) return own[at] as ResultPart
    return {
      type: 'tool-result',
      // A stray result is passed on: the provider refuses it, and says so.
      toolCallId: (call && ids.get(call)) ?? callId ?? `call_${seq}_${at}`,
      toolName: call?.name ?? name ?? 'unknown',
      output: toOutput(text, files),
    }
  })
}

function toOutput(text: string, files: readonly FilePart[]): ResultPart['output'] {
  if (files.length === 0) return { type: 'text', value: text }
  const value = files.map(({ data, mediaType }) =>
    data instanceof URL
      ? { type: 'image-url' as const, url: data.href }
      : { type: 'image-data' as const, data: String(data), mediaType },
  )
  return { type: 'content', value: text === '' ? value : [{ type: 'text', text }, ...value] }
}

/** The message's settings for one provider, such as its cache. */
function optionsOf(source: MessageLike): Pick<AiSdkMessage, 'providerOptions'> | undefined {
  const { providerOptions } = source as Pick<AiSdkMessage, 'providerOptions'>
  return providerOptions ? { providerOptions } : undefined
}
