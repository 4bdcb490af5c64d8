import { ThroughlineError } from '../../log/error.ts'
import type { Role } from '../../log/message.ts'
import type { Entry } from '../conversation/stamp-entry.ts'
import type { Transcript } from '../conversation/transcript.ts'

/** Thrown when a context needs the text of an entry that is not in memory: load it, and fit again. */
export class EntryNeeded extends ThroughlineError {
  /** The entry's place in the transcript. */
  readonly at: number

  constructor(at: number) {
    super('entry_needed', `Entry ${at} of the transcript is not in memory: load it and fit again.`)
    this.at = at
  }
}

/** An entry without its text, of which only role and size are known: most of a long conversation is never read again. */
export function absentEntry(at: number, role: Role, tokens: number): Entry {
  return new Absent(at, role, tokens) as unknown as Entry
}

export const isAbsent = (entry: Entry | undefined): boolean => (entry as unknown) instanceof Absent

/** Puts the text of an absent entry back. */
export function fillEntry({ entries }: Transcript, at: number, entry: Entry): void {
  ;(entries as Entry[])[at] = entry
}

/** Drops the texts of a stretch of entries. */
export function emptyEntries(transcript: Transcript, from: number, to: number): void {
  for (let at = from; at < to; at++) {
    const { role, tokens } = transcript.entries[at]!
    fillEntry(transcript, at, absentEntry(at, role, tokens))
  }
}

/** A class: a hundred thousand of them must be made in no time, and must not cost as many closures. */
class Absent {
  readonly at: number
  readonly role: Role
  readonly tokens: number

  constructor(at: number, role: Role, tokens: number) {
    this.at = at
    this.role = role
    this.tokens = tokens
  }
}
for (const field of ['source', 'raw', 'message', 'looks'] satisfies (keyof Entry)[]) {
  Object.defineProperty(Absent.prototype, field, {
    get(this: Absent): never {
      throw new EntryNeeded(this.at)
    },
  })
}
