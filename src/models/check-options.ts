import { InvalidOptionError } from '../log/error.ts'
import type { ModelSettings } from './model.ts'

/** An address without user and password: `fetch` refuses those, and an error that names the address would show them. */
export function checkAddress(option: string, address: string): string {
  const url = parse(address)
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new InvalidOptionError(option, 'must be an address such as "http://127.0.0.1:11434"')
  }
  if (url.username || url.password) {
    throw new InvalidOptionError(option, 'holds a user or a password: put them into "headers"')
  }
  return address.replace(/\/+$/, '')
}

export function checkWindow(window: number | undefined): void {
  if (window === undefined || (Number.isSafeInteger(window) && window > 0)) return
  throw new InvalidOptionError('window', `must be a whole number of tokens above 0, not ${window}`)
}

/** What is asked of one reply wins over what the model always does. */
export function mergeSettings(always: ModelSettings = {}, now: ModelSettings = {}): ModelSettings {
  return { ...always, ...now, provider: { ...always.provider, ...now.provider } }
}

/** Without what is absent: a key that is undefined would still be seen by whoever spreads it. */
export function present(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

/** The values of headers, word by word: a key stands behind "Bearer". */
export function secretsOf(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.values(headers).flatMap(value => value.split(' '))
}

function parse(address: string): URL | undefined {
  try {
    return new URL(address)
  } catch {
    return undefined
  }
}
