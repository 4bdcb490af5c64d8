import { InvalidMessageError } from '@throughline/core/errors'
import type { Fields } from '@throughline/core/fields'
import {
  type MessageLike,
  openRound,
  type Role,
  readMessage,
  type ToolCall,
} from '@throughline/core/messages'
import { attempt, isObject } from '@throughline/core/values'
import { isThought, type ReplyBlocks } from './model.ts'
import { type Media, readMedia } from './read-media.ts'

export type PairedMessage = ReturnType<typeof pairResults>[number]
export type PairedResult = PairedMessage['results'][number]

export interface PairedCall extends ToolCall {
  /** The call's id, or one made from its place in the message, so that the same call always has the same key. */
  readonly key: string
}

/** Finds the call of each result, whether the provider matches them by id, by name or by order. */
export function pairResults(messages: readonly MessageLike[]) {
  let called: readonly PairedCall[] = []
  let round = openRound(called)
  return messages.map((source, seq) => {
    const message = readMessage(source, seq)
    if (message.role === 'assistant_note')
      throw new InvalidMessageError(
        seq,
        'is a note, which no provider knows: fit the conversation first',
      )
    const calls: readonly PairedCall[] = message.calls.map((call, at) => ({
      ...call,
      key: call.id ?? `call_${at + 1}`,
    }))
    if (calls.length > 0) {
      called = calls
      round = openRound(calls)
    }
    const results = message.results.map(result => {
      const call = called[round.take(result)]
      // The key of its call; where that is not known, what the result itself says.
      return { ...result, call, key: call?.key ?? result.callId ?? result.name ?? 'call_1' }
    })
    return { seq, source, message, calls, results }
  })
}

/** How a form has replies, results and what others say, where results are not messages of their own role. */
interface EntryWriter<Entry, File> {
  toReply(paired: PairedMessage): readonly Entry[]
  toResults(paired: PairedMessage): readonly Entry[]
  toFile(file: Media, seq: number): File
  say(role: Role, text: string, files: readonly File[]): readonly Entry[]
}

/** Converts messages one by one. A message that says nothing is none: providers refuse empty ones. */
export const writeEach = <Entry, File>(
  messages: readonly MessageLike[],
  { toReply, toResults, toFile, say }: EntryWriter<Entry, File>,
): readonly (readonly Entry[])[] =>
  pairResults(messages).map(paired => {
    const { seq, source, message, results } = paired
    if (message.role === 'assistant') return [...toReply(paired), ...toResults(paired)]
    if (message.role === 'tool' && results.length > 0) return toResults(paired)
    const files = readMedia(source, seq).files.map(file => toFile(file, seq))
    return say(message.role, message.text, files)
  })

/** The files of each result, as `write` has them. The content of a plain tool message is one result, with its files. */
export function resultFiles<File>(
  { seq, source, message }: PairedMessage,
  write: (file: Media, seq: number) => File,
): readonly (readonly File[])[] {
  const { files: attached, results } = readMedia(source, seq)
  const files = message.role === 'tool' && results.length === 0 ? [attached] : results
  return files.map(list => list.map(file => write(file, seq)))
}

/** What is sent of a reply: the blocks of this form that are still the whole of it; else its thoughts and what it says now. */
export function withKeptBlocks(
  { source, message, calls }: PairedMessage,
  form: string,
  written: readonly Fields[],
  { textOf, isCall }: { textOf(blocks: readonly Fields[]): string; isCall(block: Fields): boolean },
): readonly Fields[] {
  const { blocks: kept } = source as { readonly blocks?: unknown }
  const { form: keptForm, list } = (isObject(kept) ? kept : {}) as Partial<ReplyBlocks>
  const blocks =
    keptForm === form && Array.isArray(list) ? (list as readonly Fields[]).filter(isObject) : []
  const isWhole = textOf(blocks) === message.text && blocks.filter(isCall).length === calls.length
  return blocks.length > 0 && isWhole ? blocks : [...blocks.filter(isThought), ...written]
}

/** All texts of the messages, which errors must not repeat. */
export function textsOf(messages: readonly MessageLike[]): readonly string[] {
  return messages.flatMap((source, seq) =>
    attempt(() => {
      const { text, thinking, calls, results } = readMessage(source, seq)
      return [
        text,
        thinking,
        ...calls.map(call => call.arguments),
        ...results.map(result => result.text),
      ]
    }, []),
  )
}
