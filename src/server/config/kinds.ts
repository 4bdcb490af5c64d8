import { z } from 'zod'
import { parseAddress } from './parse-address.ts'

/** Kinds of settings. Each takes the value itself, from a file, or a text, from a flag or the environment. */

export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER) {
  const range = most === Number.MAX_SAFE_INTEGER ? `, ${least} or more` : ` from ${least} to ${most}`
  const must = `must be a whole number${range}`
  const schema = z.number(must).int(must).min(least, must).max(most, must)
  return z.preprocess(
    readText(/^(\d{1,15})$/, ([, digits]) => Number(digits)),
    schema,
  )
}

/** From 0 to 1. */
export function share() {
  const must = 'must be a number from 0 to 1'
  const schema = z.number(must).min(0, must).max(1, must)
  return z.preprocess(
    readText(/^(\d(?:\.\d{1,15})?)$/, ([, digits]) => Number(digits)),
    schema,
  )
}

const sizes: Readonly<Record<string, number>> = { '': 1, kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3 }

export function bytes(least: number) {
  const must = `must be a number of bytes, ${least} or more, or a text such as "32MiB"`
  const schema = z.number(must).int(must).min(least, must)
  return z.preprocess(
    readText(
      /^(\d{1,12})\s*((?:[kmg]ib)?)$/i,
      ([, digits, unit = '']) => Number(digits) * sizes[unit.toLowerCase()]!,
    ),
    schema,
  )
}

const times: Readonly<Record<string, number>> = {
  ...{ '': 1, ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 },
}

/** In milliseconds. Timers of Node take no more than 24 days. */
export function duration(least = 1) {
  const must = 'must be a number of milliseconds, or a text such as "30s", "5m" or "2h"'
  return time(least, 2_147_483_647, must)
}

/** In milliseconds: for what is kept for days or years. */
export function age() {
  return time(1000, Number.MAX_SAFE_INTEGER, 'must be a time such as "90d" or "12h"')
}

function time(least: number, most: number, must: string) {
  const schema = z.number(must).int(must).min(least, must).max(most, must)
  return z.preprocess(
    readText(/^(\d{1,10})\s*((?:ms|s|m|h|d)?)$/, ([, digits, unit = '']) => Number(digits) * times[unit]!),
    schema,
  )
}

const switches: Readonly<Record<string, boolean>> = {
  ...{ true: true, on: true, yes: true, 1: true },
  ...{ false: false, off: false, no: false, 0: false },
}

export function onOff() {
  return z.preprocess(
    readText(/^(true|on|yes|1|false|off|no|0)$/i, ([word = '']) => switches[word.toLowerCase()]),
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
    value => (typeof value === 'string' ? splitList(value) : value),
    z.array(item, must).max(1000, must),
  )
}

/** An address in any form that OLLAMA_HOST may have; or a word that stands for none. */
export function address(word?: string) {
  const other = word === undefined ? '' : `${JSON.stringify(word)} or `
  const must = `must be ${other}an address without user and password, such as "http://127.0.0.1:11434"`
  return z.string(must).transform((given, context) => {
    const found = given === word ? word : parseAddress(given)
    if (found === undefined) context.addIssue({ code: 'custom', message: must })
    return found ?? z.NEVER
  })
}

function splitList(value: string): readonly string[] {
  const items = value.split(',').map(item => item.trim())
  return items.filter(item => item !== '')
}

/** Reads a text of this form; anything else is left to the schema, which says what it must be. */
function readText<Value>(form: RegExp, read: (match: RegExpExecArray) => Value) {
  return (value: unknown) => {
    const match = typeof value === 'string' ? form.exec(value.trim()) : null
    return match ? read(match) : value
  }
}
