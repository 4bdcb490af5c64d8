import { BadRequestError } from './error.ts'
import { isObject } from './values.ts'

export type Fields = Readonly<Record<string, unknown>>

/** Refuses a body. `field` is the place: `messages[3].content`. The value itself is never repeated. */
export function refuse(field: string, problem: string): never {
  throw new BadRequestError(`"${field}" ${problem}`, field)
}

/** A body; undefined if it was no JSON. */
export function readBody(body: unknown): Fields {
  if (isFields(body)) return body
  if (body === undefined) throw new BadRequestError('The body is no JSON.')
  throw new BadRequestError(`The body must be a JSON object, not ${kindOf(body)}`)
}

export function readFields(value: unknown, field: string): Fields {
  return isFields(value) ? value : refuse(field, `must be an object, not ${kindOf(value)}`)
}

export function readList(value: unknown, field: string): readonly unknown[] {
  return Array.isArray(value) ? value : refuse(field, `must be a list, not ${kindOf(value)}`)
}

export function readText(value: unknown, field: string): string {
  return typeof value === 'string' ? value : refuse(field, `must be a text, not ${kindOf(value)}`)
}

export function readFlag(value: unknown, field: string): boolean {
  return typeof value === 'boolean'
    ? value
    : refuse(field, `must be true or false, not ${kindOf(value)}`)
}

/** A number. JSON can hold `1e999`, which is read as infinity. */
export function readNumber(value: unknown, field: string): number {
  if (typeof value !== 'number') refuse(field, `must be a number, not ${kindOf(value)}`)
  return Number.isFinite(value) ? value : refuse(field, 'must be a number that is not too large')
}

export function readWhole(value: unknown, field: string): number {
  const number = readNumber(value, field)
  return Number.isSafeInteger(number) ? number : refuse(field, 'must be a whole number')
}

/** Any JSON that can be written again: a schema, arguments. */
export function readJson(value: unknown, field: string): unknown {
  let level: readonly unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) refuse(field, `is nested more than ${deepest} levels deep`)
    level = innerOf(level)
  }
  return value
}

export function readJsonFields(value: unknown, field: string): Fields {
  return readFields(readJson(value, field), field)
}

/** OpenAI takes 16 fields of 512 characters; the log takes 64 KiB. */
const mostMetadata = { fields: 64, characters: 64 * 1024 }

/** What a client wants to have kept beside a response or a conversation. */
export function readMetadata(value: unknown, field: string): Fields {
  const read = readJsonFields(value, field)
  const { fields, characters } = mostMetadata
  if (Object.keys(read).length > fields) refuse(field, `may have ${fields} fields`)
  return JSON.stringify(read).length > characters
    ? refuse(field, `may have ${characters} characters`)
    : read
}

/** Undefined for a field that is absent or null, which clients write for each other. */
export function optional<T>(
  value: unknown,
  field: string,
  read: (value: unknown, field: string) => T,
) {
  return value === undefined || value === null ? undefined : read(value, field)
}

/** Reads a list of objects, each with its place; an absent list is empty. */
export function readEach<T>(
  value: unknown,
  field: string,
  read: (fields: Fields, where: string) => T,
) {
  return (optional(value, field, readList) ?? []).map((item, at) => {
    const where = `${field}[${at}]`
    return read(readFields(item, where), where)
  })
}

/** The readers of bodies. Each refuses a value of another kind, by its field. */
export const read = {
  body: readBody,
  fields: readFields,
  list: readList,
  each: readEach,
  optional,
  text: readText,
  flag: readFlag,
  number: readNumber,
  whole: readWhole,
  json: readJson,
  jsonFields: readJsonFields,
  metadata: readMetadata,
}

export const isFields: (value: unknown) => value is Fields = isObject

/** `JSON.stringify` calls itself for each level, and fails at some thousands. */
const deepest = 200

function innerOf(holders: readonly unknown[]): readonly object[] {
  const inner: object[] = []
  const see = (value: unknown) => {
    if (typeof value === 'object' && value !== null) inner.push(value)
  }
  for (const holder of holders) {
    if (Array.isArray(holder)) for (const value of holder) see(value)
    else if (isFields(holder)) for (const key in holder) see(holder[key])
  }
  return inner
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'absent'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object'
    ? 'an object'
    : typeof value === 'string'
      ? 'a text'
      : `a ${typeof value}`
}
