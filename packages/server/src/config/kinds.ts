import { policyNames } from '@throughline/core/context'
import { attempt } from '@throughline/core/values'
import { serverKinds } from '@throughline/models/dialects'
import { z } from 'zod'
import { toBytes, toShare, toTime, toWhole } from './number-text.ts'

/** Kinds of settings. Each takes the value itself, from a file, or a text, from a flag or the environment. */

export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER) {
  const range =
    most === Number.MAX_SAFE_INTEGER ? `, ${least} or more` : ` from ${least} to ${most}`
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
    `must be a number of milliseconds, ${least} or more, or a text such as "30s", "5m" or "2h"`,
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

/** In milliseconds, for what is kept for days or years. Needs a unit: a plain 90 taken as milliseconds would delete everything. */
export function age() {
  const must = 'must be a time with its unit, 1s or more, such as "90d" or "12h"'
  return z.string(must).transform((text, context) => {
    const ms = toTime(text) ?? 0
    if (ms < 1000) context.addIssue({ code: 'custom', message: must })
    return ms
  })
}

const switches: Readonly<Record<string, boolean>> = {
  true: true,
  on: true,
  yes: true,
  1: true,
  false: false,
  off: false,
  no: false,
  0: false,
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

/** The path of an SQLite file, or the address of a PostgreSQL database. Any other address is a mistake, and no path. */
export function database() {
  return text(
    'the path of a file, or an address such as "postgres://user:password@host/database"',
    /^(?:postgres(?:ql)?:\/\/\S{1,4096}|(?![a-z]+:\/\/|postgres(?:ql)?:)[^\0]{1,4096})$/is,
  )
}

/** A list; as a text its items are divided by commas. `detail`: what more is said of one that is no such list. */
export function listOf(what: string, detail: string, pattern: RegExp) {
  const items = (all: string) => all.split(',').map(one => one.trim())
  return z.preprocess(
    readText(all => items(all).filter(one => one !== '')),
    z.array(text(`${what}${detail}`, pattern), `must be ${what}`).max(1000, `must be ${what}`),
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

const ollamaPort = 11_434

/** Reads any form of OLLAMA_HOST, else gives undefined. An address to listen on, such as `0.0.0.0`, becomes one to speak to. */
export function parseAddress(text: string): string | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)
  // A bare IPv6 address has more than one colon and no brackets.
  const isBareV6 = /^[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*$/i.test(trimmed)
  const address = hasScheme ? trimmed : `http://${isBareV6 ? `[${trimmed}]` : defaultHost(trimmed)}`
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  if (!/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    return undefined
  if (!hasScheme && url.port === '' && !/:80$/.test(hostOf(trimmed))) url.port = String(ollamaPort)
  const everywhere = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' } as Readonly<Record<string, string>>
  url.hostname = everywhere[url.hostname] ?? url.hostname
  return url.href.replace(/\/+$/, '')
}

/** `:8080` names a port only. */
const defaultHost = (text: string) => (text.startsWith(':') ? `127.0.0.1${text}` : text)

const hostOf = (text: string) => text.slice(0, text.includes('/') ? text.indexOf('/') : text.length)

export const upstreamKind = () => oneOf(['auto', ...serverKinds])

export const responsesWay = () => oneOf(['auto', 'native', 'converted'])

export const upstreamKey = () => text('a key without blanks', /^[\x21-\x7e]{1,4096}$/)

/** One of several upstreams, as the file of settings has it. */
const upstreamEntry = z.strictObject({
  name: text(
    'a short name of letters, digits, "-" and ".", for records and metrics',
    /^[\w.-]{1,40}$/,
  ),
  models: listOf(
    'a list of names of models such as "gpt-*"',
    ', where "*" stands for any letters',
    /^[\x21-\x7e]{1,200}$/,
  ),
  url: address('reader'),
  kind: upstreamKind().default('auto'),
  key: upstreamKey().optional(),
  keyVariable: text('the name of a variable', /^\w{1,200}$/).optional(),
  window: wholeNumber(1).optional(),
  policy: oneOf(policyNames).optional(),
  responses: responsesWay().optional(),
})

export type UpstreamEntry = z.output<typeof upstreamEntry>

/** A list of upstreams. As a text it is JSON. */
export function upstreamList() {
  const must =
    'must be a list of {"name", "models", "url"}, each with "kind", "key", "keyVariable", "window", "policy" and "responses" at will'
  return z.preprocess(
    value =>
      typeof value === 'string' ? attempt(() => JSON.parse(value) as unknown, value) : value,
    z.array(upstreamEntry, must).min(1, must).max(50, must),
  )
}
