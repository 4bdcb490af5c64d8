import { errorsIn, type Message, readMessage } from '@throughline/core/messages'
import type { DisplayMessage } from '@throughline/history'
import { createCallNames } from './call-names.ts'
import { toValue } from './to-value.ts'

/** A message as `useChat` has it. It is a `UIMessage` of the AI SDK. */
export interface UIStoredMessage {
  /** The id of the entry with which it begins. */
  readonly id: string
  /** Who says it. System messages are not shown. */
  readonly role: 'user' | 'assistant'
  /** What it says, in order: texts, thoughts, files, calls with their results. */
  readonly parts: UIStoredPart[]
}

/** One part of a stored message. It is a part of a `UIMessage` of the AI SDK. */
export type UIStoredPart =
  | { readonly type: 'step-start' }
  | { readonly type: 'text' | 'reasoning'; readonly text: string; readonly state: 'done' }
  | {
      readonly type: 'file'
      readonly mediaType: string
      readonly url: string
      readonly filename?: string
    }
  | UIToolPart

type UIToolPart = {
  readonly type: `tool-${string}`
  readonly toolCallId: string
  readonly input: unknown
} & ({ readonly state: 'input-available' } | UIToolEnd)

type UIToolEnd =
  | { readonly state: 'output-available'; readonly output: unknown }
  | { readonly state: 'output-error'; readonly errorText: string }

/**
 * Turns what `thread.display()` gives into messages for `useChat`, such as its first ones after a page was loaded again. All
 * that answers a user message is one message. A call without a result waits if it is the last one.
 *
 * @example
 * const messages = toUIMessages(await history.thread('ada').display())
 */
export function toUIMessages(shown: readonly DisplayMessage[]): readonly UIStoredMessage[] {
  const messages: UIStoredMessage[] = []
  let answer = createAnswer()
  const close = (isLast: boolean) => {
    const message = answer.close(isLast)
    if (message) messages.push(message)
    answer = createAnswer()
  }
  for (const message of shown) {
    const read = readMessage(message, message.seq)
    if (read.role === 'user') {
      close(false)
      messages.push({ id: message.id, role: 'user', parts: [...userParts(message, read)] })
    } else if (read.role === 'assistant') answer.say(message.id, read)
    else if (read.role === 'tool') answer.result(message, read)
  }
  close(true)
  return messages
}

/** Gathers the messages that answer a user message. */
function createAnswer() {
  let id: string | undefined
  const parts: UIStoredPart[] = []
  const nameOf = createCallNames()
  /** The places of calls that wait for a result, by the ids of the calls. */
  const waiting = new Map<string, number>()
  /** The ids of those that had none, in order: their results have none either. */
  const nameless: string[] = []

  function settle(at: number, end: UIToolEnd): void {
    const { type, toolCallId, input } = parts[at] as UIToolPart
    parts[at] = { type, toolCallId, input, ...end }
  }

  return {
    say(messageId: string, { text, thinking, calls }: Message): void {
      id ??= messageId
      parts.push(
        { type: 'step-start' },
        ...textPart('reasoning', thinking),
        ...textPart('text', text),
      )
      for (const { id: called, name, arguments: json } of calls) {
        const id = called ?? `${messageId}-${parts.length}`
        if (called === undefined) nameless.push(id)
        const before = waiting.get(id)
        if (before !== undefined) settle(before, unanswered)
        waiting.set(id, parts.length)
        const input = toValue(json)
        parts.push({
          type: `tool-${name}`,
          toolCallId: nameOf(id),
          input,
          state: 'input-available',
        })
      }
    },
    result(message: object, { results }: Message): void {
      const hasFailed = errorsIn(message)
      for (const [n, { callId = nameless.shift(), text }] of results.entries()) {
        const at = callId === undefined ? undefined : waiting.get(callId)
        if (at === undefined) continue
        waiting.delete(callId!)
        if (hasFailed(text, n)) settle(at, { state: 'output-error', errorText: text })
        else settle(at, { state: 'output-available', output: toValue(text) })
      }
    },
    close(isLast: boolean): UIStoredMessage | undefined {
      if (!isLast) for (const at of waiting.values()) settle(at, unanswered)
      return id === undefined ? undefined : { id, role: 'assistant', parts }
    },
  }
}

const unanswered: UIToolEnd = { state: 'output-error', errorText: 'No result.' }

const textPart = (type: 'text' | 'reasoning', text: string): readonly UIStoredPart[] =>
  text === '' ? [] : [{ type, text, state: 'done' }]

/** The texts of a user message, and the images and files that have an address a browser can show, in their order. */
function userParts({ content }: DisplayMessage, { text }: Message): readonly UIStoredPart[] {
  const isList = Array.isArray(content)
  const parts = isList ? content.flatMap(partOf) : []
  return parts.some(({ type }) => type === 'text') ? parts : [...textPart('text', text), ...parts]
}

function partOf(part: Readonly<Record<string, unknown>> | null): readonly UIStoredPart[] {
  if (part?.type === 'text' && typeof part.text === 'string') return textPart('text', part.text)
  const { url: image } = (part?.image_url ?? {}) as { readonly url?: unknown }
  const url = part?.type === 'file' ? part.data : image
  if (typeof url !== 'string' || !/^(?:data|https?):/i.test(url)) return []
  const { mediaType = /^data:([\w.+/-]{3,100})/.exec(url)?.[1] ?? 'image/*', filename } = part ?? {}
  return [
    {
      type: 'file',
      mediaType: String(mediaType),
      url,
      ...(typeof filename === 'string' && { filename }),
    },
  ]
}
