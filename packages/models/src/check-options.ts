import { InvalidOptionError, type OptionNames } from '@throughline/core/errors'
import { isCount } from '@throughline/core/values'
import type { ModelSettings } from './model.ts'

/** A model, how its server is reached, and what all requests have. */
export interface ServedModelOptions {
  /** The name of the model on that server. */
  readonly model: string
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Your own, for a proxy or longer timeouts. Default: the global one. */
  readonly fetch?: typeof globalThis.fetch
  /** For every request; settings of a request win. */
  readonly settings?: ModelSettings
  /** The window in tokens. Default: what the server tells, if it does. */
  readonly window?: number
}

export const servedNames: OptionNames<ServedModelOptions> = {
  ...{ model: 1, headers: 1, fetch: 1, settings: 1, window: 1 },
}

/** A variable of the environment; undefined where there is none, as in a browser. */
export const fromEnvironment = (name: string): string | undefined =>
  (globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } }).process
    ?.env?.[name]

/** Refuses an address with user and password: `fetch` refuses it too, and errors that name the address would show them. */
export function checkAddress(option: string, address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new InvalidOptionError(option, 'must be an address such as "http://127.0.0.1:11434"')
  if (url.username || url.password)
    throw new InvalidOptionError(option, 'holds a user or a password: put them into "headers"')
  return address.replace(/\/+$/, '')
}

export function checkWindow(window: number | undefined): void {
  if (window === undefined || isWindow(window)) return
  throw new InvalidOptionError('window', `must be a whole number of tokens above 0, not ${window}`)
}

export const isWindow = (value: unknown): value is number => isCount(value, 1)

/** Settings of a request win over those of the model. */
export const mergeSettings = (
  always: ModelSettings = {},
  now: ModelSettings = {},
): ModelSettings => ({
  ...always,
  ...now,
  provider: { ...always.provider, ...now.provider },
})

/** The words of all header values: a key follows "Bearer". */
export const secretsOf = (headers: Readonly<Record<string, string>>): readonly string[] =>
  Object.values(headers).flatMap(value => value.split(' '))
