import { InvalidOptionError } from '../log/error.ts'

export interface NoteOptions {
  /**
   * A secret word in the marker: with `a1b2` only `[NOTE TO SELF a1b2: …]` is kept as a note; other blocks are cut, and
   * not kept. 1 to 32 letters and digits; they are compared exactly.
   */
  readonly nonce?: string | undefined
}

/** Only letters and digits: patterns cannot misread them and small models copy them. */
export function checkNonce(nonce: string | undefined): void {
  if (nonce === undefined || /^[a-z0-9]{1,32}$/i.test(nonce)) return
  throw new InvalidOptionError('nonce', 'must be 1 to 32 letters and digits')
}
