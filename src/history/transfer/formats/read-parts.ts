import { type Fields, optional, readFields, readList, readText, refuse } from '../../../log/fields.ts'
import { cut } from '../../../log/line.ts'
import type { MessageLike } from '../../../log/message.ts'
import { isObject, parseJsonObject } from '../../../log/parse-json.ts'
import type { SourceMessage } from './source.ts'

/** A field's place by its name: `$.mapping["a-1"]`. A long name is cut. */
export const inside = (field: string, name: string): string => `${field}[${JSON.stringify(cut(name, 60))}]`

/** The range of a `Date`. */
const mostTime = 8.64e15
/** Numbers below are seconds: as milliseconds they would be in the year 1973 or before. */
const mostSeconds = 1e11

/** A time in milliseconds, of a date as text or of a number of seconds or milliseconds. Undefined for none. */
export function readTime(value: unknown, field: string): number | undefined {
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
    day === undefined || Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  return hasDay ? Date.parse(text) : Number.NaN
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

export interface WrittenDate {
  readonly year: string
  /** In words: `May`. */
  readonly month: string
  readonly day: string
  readonly hour: string
  readonly minute: string
  readonly half: string
}

/** A date as people write it, taken as UTC: the file does not tell where it was written. */
export function readWrittenDate({ year, month, day, hour, minute, half }: WrittenDate): number {
  const hours = (Number(hour) % 12) + (half === 'pm' ? 12 : 0)
  const at = months.indexOf(month.slice(0, 3).toLowerCase())
  return Date.UTC(Number(year), Math.max(at, 0), Number(day), hours, Number(minute))
}

export const optionalText = (value: unknown, field: string): string | undefined =>
  optional(value, field, readText)

/** A text, or the JSON of any other value. */
export const toText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)

/** Texts with a line for each file, so that people, models and searches know what was there. */
export function withFiles(texts: readonly string[], files: readonly string[]): string {
  return [...texts.filter(text => text !== ''), ...files.map(name => `[attached: ${name}]`)].join('\n')
}

/** The first of these fields that names each file of a list. */
export function readNames(value: unknown, field: string, ...names: readonly string[]): readonly string[] {
  return (optional(value, field, readList) ?? []).map((one, at) => {
    const file = readFields(one, `${field}[${at}]`)
    const found = names.map(name => file[name]).find(name => typeof name === 'string' && name !== '')
    return typeof found === 'string' ? found : 'file'
  })
}

/** A message, before its time and its author are added. */
export type Said = Pick<SourceMessage, 'message' | 'isError'>

export interface Call {
  readonly id: string
  readonly name: string
  /** JSON, or a text that the tool takes as it is. */
  readonly arguments: unknown
}

/** A tool call as OpenAI writes it. Arguments that are no object are put into one, because servers demand it. */
export function toCall({ id, name, arguments: given }: Call): Fields {
  const text = toText(given)
  const json =
    isObject(given) || parseJsonObject(text) ? text : JSON.stringify(text === '' ? {} : { input: text })
  return { id, type: 'function', function: { name, arguments: json } }
}

export interface Answer {
  readonly text?: string | undefined
  readonly thinking?: string | undefined
  readonly calls?: readonly Call[]
}

/** What a model said; undefined for nothing. */
export function toAssistant({ text = '', thinking = '', calls = [] }: Answer): MessageLike | undefined {
  if (text === '' && thinking === '' && calls.length === 0) return undefined
  return {
    role: 'assistant',
    content: text,
    ...(thinking !== '' && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls.map(toCall) }),
  }
}

export const toResult = (id: string, content: string): MessageLike => ({
  role: 'tool',
  tool_call_id: id,
  content,
})

/** What a program knows of messages besides what they say. */
export interface Known {
  readonly time?: number | undefined
  readonly model?: unknown
  readonly name?: unknown
}

/** Adds what is known to messages: a model wrote only what the assistant says, and a tool has no name of its own. */
export function withKnown(said: readonly Said[], { time, model, name }: Known): readonly SourceMessage[] {
  return said.map(one => {
    const { role } = one.message
    const data = {
      ...(role === 'assistant' && typeof model === 'string' && model !== '' && { model }),
      ...(role !== 'tool' && typeof name === 'string' && name !== '' && { name }),
    }
    return { ...one, time, ...(Object.keys(data).length > 0 && { data }) }
  })
}
