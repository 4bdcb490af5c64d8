/** Which paths a tool may name, and what is wrong with the others. */
import { ThroughlineError } from 'throughline'

export type SiteErrorCode =
  | 'bad_path'
  | 'no_file'
  | 'not_a_file'
  | 'not_text'
  | 'too_large'
  | 'too_many_files'

/** Why a file of the site was not read or written. The code stands in the message, because the model sees only that. */
export class SiteError extends ThroughlineError {
  constructor(code: SiteErrorCode, problem: string) {
    super(code, `${problem} (${code})`)
  }
}

const mostDepth = 4
const mostLetters = 80

/** Names that Windows opens as devices, in every folder and with any ending. */
const devices = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i

/** Letters, digits, "_", "-", "." and blanks. So no slash, no backslash, no colon, no NUL; no dot in front, no dot or blank at the end. */
const name = /^[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_. -]*[\p{L}\p{M}\p{N}_-])?$/u

/** The names of a path, from the folder of the site down. What could lead out of that folder is refused, not mended. */
export function toNames(path: string): readonly string[] {
  const shown = show(path)
  if (/^[/\\]|^\p{L}:/u.test(path))
    throw new SiteError(
      'bad_path',
      `${shown} is absolute: begin with a name in the site, such as "index.html"`,
    )
  const names = path.length > 400 ? [] : path.normalize('NFC').split('/')
  if (names.length === 0 || names.length > mostDepth)
    throw new SiteError(
      'bad_path',
      `${shown} is too long: at most ${mostDepth} names, each in the one before`,
    )
  if (names.includes('..'))
    throw new SiteError(
      'bad_path',
      `${shown} leaves the site: "..", which leads upwards, is not allowed`,
    )
  const bad = names.find(one => one.length > mostLetters || !name.test(one) || devices.test(one))
  if (bad !== undefined)
    throw new SiteError(
      'bad_path',
      `${shown} has the name ${show(bad)}: use letters, digits, "-", "_" and "."`,
    )
  return names
}

/** A path in a message: quoted and short, whatever is in it. */
export const show = (text: string) =>
  JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
