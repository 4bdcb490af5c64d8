import { type Fields, readList } from '../../../log/fields.ts'
import type { MessageLike } from '../../../log/message.ts'
import type { FilePlace } from '../import-error.ts'

/** A conversation as another program keeps it. */
export interface SourceConversation {
  /** Its id there. Absent: it is named after its contents. */
  readonly id?: string | undefined
  readonly title?: string | undefined
  /** Whose it is, by a name under which the program also speaks for that person. */
  readonly person?: string | undefined
  /** The time of messages that have none. */
  readonly time?: number | undefined
  /** The node that the program showed last. Default: the last one. */
  readonly current?: string | undefined
  readonly nodes: readonly SourceNode[]
  readonly place: FilePlace
}

/** One or more messages in a row, and what they follow. A parent with several children is where branches part. */
export interface SourceNode {
  readonly id: string
  readonly parent?: string | undefined
  /** Whose thread it belongs to. Default `assistant`. */
  readonly actor?: string
  readonly messages: readonly SourceMessage[]
  readonly place: FilePlace
}

export interface SourceMessage {
  readonly message: MessageLike
  readonly time?: number | undefined
  /** Who said it and which model, where the program knows. Stored beside the message, never sent. */
  readonly data?: { readonly model?: string; readonly name?: string } | undefined
  readonly isError?: boolean
}

export interface Item {
  readonly value: unknown
  readonly place: FilePlace & { readonly path: string }
}

export const itemsIn = ({ value, place: { line, path } }: Item): readonly Item[] =>
  readList(value, path).map((value, at) => ({ value, place: { line, path: `${path}[${at}]` } }))

export interface Format {
  /** What people call it: `ChatGPT`. */
  readonly name: string
  /** The beginning of the names of its conversations. */
  readonly prefix: string
  /** Whether the first value of a file shows this form. */
  matches(first: unknown): boolean
  /** Whether all values of a file are one conversation. Otherwise each value is one. */
  readonly isWhole: boolean
  /** Undefined: nothing was said in it. Throws with the field that cannot be read. */
  read(items: readonly Item[]): SourceConversation | undefined
}

/** Whether a value is an object with all of these fields. */
export const has = (value: unknown, ...names: readonly string[]): value is Fields =>
  typeof value === 'object' && value !== null && names.every(name => Object.hasOwn(value, name))
