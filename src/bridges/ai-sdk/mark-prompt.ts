import type { MessageLike } from '../../log/message.ts'
import { isObject } from '../../log/parse-json.ts'
import { chooseMarks } from '../../models/anthropic/mark-cache.ts'

/** A prompt with marks for Anthropic's cache, as far as the application has left some. */
export function markPrompt<M extends MessageLike>(prompt: readonly M[], tools: readonly unknown[]): M[] {
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
    return { ...message, providerOptions: { ...options, anthropic: { ...anthropic, cacheControl } } }
  })
}

/** The mark of a tool, a message or a part of one, in either of the writings that the provider reads. */
function markOf(value: unknown): unknown {
  const { anthropic } = optionsOf(value)
  return isObject(anthropic) ? (anthropic.cacheControl ?? anthropic.cache_control) : undefined
}

const optionsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isObject(value) && isObject(value.providerOptions) ? value.providerOptions : {}
