import { InvalidOptionError } from '../log/error.ts'
import type { NewEntry, StoredCall, ThreadKey } from './store.ts'
import { InvalidTextError, TooLargeError } from './store-error.ts'

export const defaultMaxEntryBytes = 8 * 1024 * 1024
const maxNameBytes = 1_024

/**
 * A tenant may be empty: the only one. The other names may not: an empty one is a variable that was never set, and
 * everybody's conversations would meet in it.
 */
export function checkThread({ tenant, conversation, actor, branch }: ThreadKey): void {
  checkName('tenant', tenant)
  for (const [what, name] of Object.entries({ conversation, actor, branch })) {
    if (name === '') throw new InvalidOptionError(what, 'a name must not be empty')
    checkName(what, name)
  }
}

export function checkName(what: string, name: string): void {
  checkText(`The ${what}`, name, maxNameBytes)
}

/** The names that are given, of those that may be. */
export function checkNames(names: Readonly<Record<string, string | undefined>>): void {
  for (const [what, name] of Object.entries(names)) if (name !== undefined) checkName(what, name)
}

export function checkCall({ id, model, plan }: StoredCall, maxBytes: number): void {
  checkNames({ 'id of the call': id, model })
  checkText('The plan of a call', plan, maxBytes)
}

export function checkEntries(entries: readonly NewEntry[], maxEntryBytes: number): void {
  for (const { id, payload } of entries) {
    checkName('id of an entry', id)
    checkText(`The entry "${id}"`, payload, maxEntryBytes)
  }
}

/** Nothing is before a time that is none, and everything would be unused since then. */
export function checkTime(option: string, time: number): void {
  if (!Number.isFinite(time)) throw new InvalidOptionError(option, `${time} is not a time in milliseconds`)
}

/** NUL ends a text in one driver, lone surrogates become `\ufffd`: two names could become one. So: refused, everywhere. */
function checkText(what: string, text: string, maxBytes: number): void {
  // Three bytes a code unit at most: most texts need not be measured.
  const bytes = text.length * 3 > maxBytes ? new TextEncoder().encode(text).length : 0
  if (bytes > maxBytes) throw new TooLargeError(what, bytes, maxBytes)
  if (/\0|\p{Surrogate}/u.test(text)) throw new InvalidTextError(what)
}
