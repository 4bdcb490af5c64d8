import type { Fields } from '@throughline/core/fields'
import { isObject } from '@throughline/core/values'
import { ModelError, type ModelPart } from './model.ts'
import { type AskedServer, toStreamError } from './to-model-error.ts'

/** A text of a server's answer; empty if there is none. Throws for anything else: the types of an answer are not trusted. */
export function readText(value: unknown, server: AskedServer): string {
  if (!value) return ''
  if (typeof value === 'string') return value
  throw toStreamError(server, 'sent something else where a text should be')
}

export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {})

export const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.map(fieldsOf) : []

/** The part of a text, with the log probabilities of its tokens if there are any; none for an empty text. */
export function toDelta(
  type: 'text-delta' | 'thinking-delta',
  text: string,
  logprobs?: unknown,
): readonly ModelPart[] {
  return text === '' ? [] : [{ type, text, ...(Array.isArray(logprobs) && { logprobs }) }]
}

/** The calls of a reply, or pieces of them; none where there is no list. */
export function readCalls(value: unknown, server: AskedServer): readonly Fields[] {
  const list = value ?? []
  if (Array.isArray(list) && list.every(isObject)) return list
  throw toStreamError(server, 'sent calls that cannot be read')
}

/** Far more than any call, so that one that never ends does not fill the memory. */
const mostCharacters = 16 * 1024 * 1024

export function limitCalls(server: AskedServer): (more: string) => void {
  let size = 0
  return more => {
    size += more.length
    if (size <= mostCharacters) return
    const message = `${server.name} sent calls of more than ${mostCharacters} characters.`
    throw new ModelError('reply_too_large', message)
  }
}
