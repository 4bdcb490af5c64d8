import { z } from 'zod'
import { toBytes, toShare, toTime, toWhole } from './number-text.ts'
import { parseAddress } from './parse-address.ts'

/** Kinds of settings. Each takes the value itself, from a file, or a text, from a flag or the environment. */

export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER) {
  const range = most === Number.MAX_SAFE_INTEGER ? `, ${least} or more` : ` from ${least} to ${most}`
  return whole(`must be a whole number${range}`, toWhole, least, most)
}

/** From 0 to 1. */
export function share() {
  const must = 'must be a number from 0 to 1'
  return z.preprocess(readText(toShare), z.number(must).min(0, must).max(1, must))
}

export const bytes = (least: number) =>
  whole(`must be a number of bytes, ${least} or more, or a text such as "32MiB"`, toBytes, least)

/** In milliseconds. Timers of Node take no more than 24 days. */
export const duration = (least = 1) =>
  whole(
    'must be a number of milliseconds, or a text such as "30s", "5m" or "2h"',
    text => toTime(text) ?? toWhole(text),
    least,
    2_147_483_647,
  )

function whole(
  must: string,
  read: (text: string) => number | undefined,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
) {
  return z.preprocess(readText(read), z.number(must).int(must).min(least, must).max(most, must))
}

/** In milliseconds: for what is kept for days or years. It must have a unit: 90 that is taken for milliseconds deletes everything. */
export function age() {
  const must = 'must be a time with its unit, such as "90d" or "12h"'
  return z.string(must).transform((text, context) => {
    const ms = toTime(text) ?? 0
    if (ms < 1000) context.addIssue({ code: 'custom', message: must })
    return ms
  })
}

const switches: Readonly<Record<string, boolean>> = {
  ...{ true: true, on: true, yes: true, 1: true },
  ...{ false: false, off: false, no: false, 0: false },
}

export function onOff() {
  return z.preprocess(
    readText(text => switches[text.trim().toLowerCase()]),
    z.boolean('must be true or false'),
  )
}

export function oneOf<const Name extends string>(names: readonly [Name, ...Name[]]) {
  return z.enum(names, `must be one of ${names.join(', ')}`)
}

export function text(what: string, pattern: RegExp) {
  const must = `must be ${what}`
  return z.string(must).regex(pattern, must)
}

/** A list; as a text its items are divided by commas. */
export function listOf<Item extends z.ZodType>(item: Item, must: string) {
  return z.preprocess(
    readText(text =>
      text
        .split(',')
        .map(one => one.trim())
        .filter(one => one !== ''),
    ),
    z.array(item, must).max(1000, must),
  )
}

/** An address in any form that OLLAMA_HOST may have; or a word that stands for none. */
export function address(word?: string) {
  const other = word === undefined ? '' : `${JSON.stringify(word)} or `
  const must = `must be ${other}an address without user and password, such as "http://127.0.0.1:11434"`
  return z.string(must).transform((value, context) => {
    const parsed = value === word ? word : parseAddress(value)
    if (parsed === undefined) context.addIssue({ code: 'custom', message: must })
    return parsed ?? z.NEVER
  })
}

/** Reads a text; what `read` does not know is left to the schema, which says what it must be. */
const readText =
  <Value>(read: (text: string) => Value | undefined) =>
  (value: unknown) =>
    typeof value === 'string' ? (read(value) ?? value) : value
