import { parseJson } from '../log/values.ts'
import { splitNote } from './note-scanner.ts'

/** The arguments of a call as a user may see them: without notes of any nonce, otherwise unchanged character by character. */
export const shownArguments = (json: string): string => show(json, mostLevels)

/** JSON may hold JSON as text, with its escapes escaped again. Notes nested deeper than this are not looked for. */
const mostLevels = 4

/** Any letter of the marker may be written as an escape. */
const mayHaveNote = /note|\\u/i

function show(written: string, levels: number): string {
  if (levels === 0 || !mayHaveNote.test(written)) return written
  if (parseJson(written) !== undefined) return showLiterals(written, levels)
  // Broken JSON has no literals to rely on: it is cut as plain text, as written or with its escapes read.
  const { visible } = splitNote(written)
  const plain = readEscapes(visible)
  if (plain === visible) return visible
  const shown = show(plain, levels - 1)
  return shown === plain ? visible : shown
}

/** Valid JSON: every quote outside of a literal begins one. A loop, as a pattern would backtrack or run out of stack. */
function showLiterals(json: string, levels: number): string {
  const stops = /["\\]/g
  let shown = ''
  let from = 0
  for (let start = json.indexOf('"'); start >= 0; start = json.indexOf('"', stops.lastIndex)) {
    stops.lastIndex = start + 1
    while (stops.exec(json)?.[0] === '\\') stops.lastIndex += 1
    const written = json.slice(start, stops.lastIndex)
    if (!mayHaveNote.test(written)) continue
    const text = parseJson(written) as string
    const visible = show(text, levels - 1)
    if (visible === text) continue
    shown += json.slice(from, start) + JSON.stringify(visible)
    from = stops.lastIndex
  }
  return shown + json.slice(from)
}

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** The text with its escapes read; a broken escape stays as it is. */
function readEscapes(text: string): string {
  return text.replace(
    /\\(?:u([0-9a-f]{4})|(.))/gis,
    (_, code: string | undefined, letter: string) =>
      code === undefined
        ? (escapes[letter] ?? letter)
        : String.fromCharCode(Number.parseInt(code, 16)),
  )
}
