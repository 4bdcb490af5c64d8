import { filesIn, nameNumber, nameOnly } from './touched.ts'
import type { Transcript } from './transcript.ts'

/** The units before a user message that hold the whole text of a file that it names by path or last part: of each the newest. */
export function findNamedFiles(
  { units, entries }: Transcript,
  text: string,
  user: number,
): readonly number[] {
  const readers = new Set<number>()
  const names = units[user]!.kind === 'user' && text.slice(0, mostRead).match(NAME)
  // `@parser.ts` and `./parser.ts` are `parser.ts`.
  const all = new Set((names || []).map(name => name.replace(/^@?(?:\.[/\\])?/, '')))
  for (const name of [...all].slice(0, mostNames)) {
    const number = nameNumber(name)
    const end = JSON.stringify(name).slice(1)
    for (let at = user - 1; at >= Math.max(0, user - mostUnits); at--) {
      const { touched, refers, from, tokens } = units[at]!
      // Each second number is that of a file.
      const file = touched.find((one, place) => place % 2 === 1 && nameOnly(one) === number)
      if (refers || tokens < least || file === undefined) continue
      const isWhole = entries[from]!.message.calls.some(
        ({ arguments: json }) =>
          json.includes(end) && !PART.test(json) && (file % 2 === 0 || WHOLE.test(json)),
      )
      if (!isWhole) continue
      readers.add(at)
      break
    }
  }
  return [...readers]
}

/** The units after one, and before a user message, that write the file which it holds: without them its text is out of date. */
export function findEditsSince({ units }: Transcript, unit: number, user: number): readonly number[] {
  const files = filesIn(units, unit, unit + 1)
  // `| 1` also makes a signed number of it, as those of `filesIn` are.
  const isEdit = (file: number, place: number) => place % 2 === 1 && file % 2 === 1 && files.has(file | 1)
  const edits: number[] = []
  for (let at = unit + 1; at < user; at++) if (units[at]!.touched.some(isEdit)) edits.push(at)
  return edits
}

const NAME = /[\w@./\\-]{1,200}\.\w{1,9}/g
const mostRead = 2000
const mostNames = 16
/** Files that were read longer ago are only found by their words: the work does not grow with the conversation. */
const mostUnits = 4096
/** A shorter one has no text of a file: it was deleted, or not found. */
const least = 64

/** The name of an argument that chooses or changes a part of a file. */
const PART = /(?:offset|limit|start|line|range|old|pattern|diff)\w{0,20}"\s*:/i
/** The name of an argument with the whole text that is written. */
const WHOLE = /(?:content|text)"/i
