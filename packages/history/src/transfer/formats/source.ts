import {
  type Fields,
  optional,
  readFields,
  readList,
  readText,
  refuse,
} from '@throughline/core/fields'
import type { MessageLike } from '@throughline/core/messages'
import { cut } from '@throughline/core/values'
import type { FilePlace } from '../import-error.ts'

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

/** A JSON object of a file. Its readers refuse a field of another kind by its place, such as `$[3].title`. */
export interface PlacedFields extends ReturnType<typeof placeFields> {}

export function placeFields({ value, place }: Item) {
  const { line, path } = place
  const fields = readFields(value, path)
  const pathOf = (name: string) => `${path}.${name}`
  const itemAt = (name: string): Item => ({
    value: fields[name],
    place: { line, path: pathOf(name) },
  })
  const needItems = (name: string) => itemsIn(itemAt(name))
  const items = (name: string) => optional(fields[name], name, () => needItems(name)) ?? []
  const each = (name: string): readonly PlacedFields[] => items(name).map(placeFields)
  return {
    fields,
    place,
    /** A text; undefined if it is absent or null. `value`: what stands for the field. */
    text: (name: string, value = fields[name]) => optional(value, pathOf(name), readText),
    needText: (name: string) => readText(fields[name], pathOf(name)),
    /** A time in milliseconds, of a date as text or of a number of seconds or milliseconds. */
    time: (name: string, value = fields[name]) => readTime(value, pathOf(name)),
    /** An object inside; undefined if it is absent or null. */
    inner: (name: string): PlacedFields | undefined =>
      optional(fields[name], name, () => placeFields(itemAt(name))),
    needInner: (name: string): PlacedFields => placeFields(itemAt(name)),
    /** The items of a list; none if it is absent or null. */
    items,
    needItems,
    /** The objects in a list; none if it is absent or null. */
    each,
    entries: (name: string): readonly (readonly [name: string, fields: PlacedFields])[] =>
      Object.entries(readFields(fields[name], pathOf(name))).map(([key, value]) => {
        const shown = JSON.stringify(cut(key, 60))
        return [key, placeFields({ value, place: { line, path: `${pathOf(name)}[${shown}]` } })]
      }),
    /** What each file of a list is called: the first of these fields that says it. */
    fileNames: (name: string, ...names: readonly string[]) =>
      each(name).map(({ fields }) => {
        const title = names
          .map(one => fields[one])
          .find(value => typeof value === 'string' && value !== '')
        return typeof title === 'string' ? title : 'file'
      }),
  }
}

/** The range of a `Date`. */
const mostTime = 8.64e15
/** Numbers below are seconds: as milliseconds they would be in the year 1973 or before. */
const mostSeconds = 1e11

function readTime(value: unknown, field: string): number | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string' && typeof value !== 'number')
    return refuse(field, 'must be a time: a date as text, or a number')
  const number =
    typeof value === 'string' ? toTime(value) : value * (Math.abs(value) < mostSeconds ? 1000 : 1)
  const time = Math.round(number)
  return Math.abs(time) <= mostTime ? time : refuse(field, 'is no time that can be read')
}

/** NaN for a day that its month does not have: `Date.parse` would take 31 February for 2 March. */
function toTime(text: string): number {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(text) ?? []
  const hasDay =
    day === undefined ||
    Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  return hasDay ? Date.parse(text) : Number.NaN
}
