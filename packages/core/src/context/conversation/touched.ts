import { fileFields } from '../../log/actions.ts'
import { hashOf } from '../../log/hash-text.ts'
import type { Message } from '../../log/message.ts'
import { attempt, isObject } from '../../log/values.ts'
import type { Touched, Unit, Units } from './unit.ts'

export function touchedBy({ role, text, calls }: Message): Touched {
  if (role === 'system') return [hashOf(shapeOf(text)), 0]
  return calls.flatMap(({ name, arguments: json }) => [
    hashOf(`${name}\0${json}`),
    fileNumber(name, json),
  ])
}

/** What dates, reminders and states of one make have in common: their text without numbers and English names of days and months. */
const shapeOf = (text: string): string =>
  text.toLowerCase().replace(CALENDAR, '@').replace(/\d+/g, '0')

const CALENDAR =
  /\b(?:(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}|am|pm)\b/g

/** Longer arguments are not parsed: such a call counts as one without a file. */
const mostParsed = 400_000

function fileNumber(name: string, json: string): number {
  const isRead = json.length <= mostParsed && /^\s*\{/.test(json)
  const parsed = isRead ? attempt(() => JSON.parse(json) as unknown, undefined) : undefined
  const fields = isObject(parsed) ? parsed : {}
  const named = fileFields
    .map(field => fields[field])
    .find(value => typeof value === 'string' && value !== '')
  const patched = named === undefined ? patchedFile(json) : undefined
  const file = named ?? patched ?? shownFile(fields)
  if (file === undefined) return 0
  const isWritten = patched !== undefined || WRITING.test(name.slice(0, 100)) ? 1 : 0
  return ((hashOf(String(file)) << nameBits) | nameNumber(String(file)) | isWritten) >>> 0 || 2
}

/** The low bits of a file's number: the last part of its path, except for the lowest bit, which says whether it is written. */
const nameBits = 11

/** The part of a file's number that its name gives, with or without the path before it. */
export const nameNumber = (file: string): number => nameOnly(hashOf(file.split(/[/\\]/).at(-1)!))

export const nameOnly = (number: number): number => number & (2 ** nameBits - 2)

const WRITING = /write|edit|create|replace|patch|update|insert|append|delete|remove|move|rename/i

/** A short result that only says that an earlier one still holds. */
const REFERENCE =
  /\b(?:unchanged|not (?:been )?(?:changed|modified)) since\b|\brefer to (?:that|the) (?:earlier|previous)\b/i
const mostReference = 500

export const isReference = (text: string): boolean =>
  text.length <= mostReference && REFERENCE.test(text)

/** The files that units from one up to another read or write. */
export function filesIn(units: readonly Unit[], from: number, to: number): ReadonlySet<number> {
  const files = new Set<number>()
  for (let at = from; at < to; at++) for (const file of filesOf(units[at]!)) files.add(file)
  return files
}

export const touchesOne = (unit: Unit, files: ReadonlySet<number>): boolean =>
  filesOf(unit).some(file => files.has(file))

/** The files of a unit, whether it reads or writes them. */
const filesOf = ({ touched }: Unit): readonly number[] =>
  touched.flatMap((file, place) => (place % 2 === 1 && file !== 0 ? [file | 1] : []))

/** The file that a shell command shows whole: `cat src/parser.ts`. Other commands show a part, or more than a file. */
function shownFile({ cmd, command = cmd }: Readonly<Record<string, unknown>>): string | undefined {
  // A shell that is named has the command behind its flags: `["bash", "-lc", "cat src/parser.ts"]`.
  const line: unknown = Array.isArray(command) ? command.at(-1) : command
  return typeof line === 'string' && line.length <= mostCommand ? SHOWN.exec(line)?.[1] : undefined
}

/** The first file that a patch changes, whether it is given to a tool or to a shell. */
export const patchedFile = (text: string): string | undefined =>
  PATCHED.exec(text.slice(0, mostCommand))?.[1]

const mostCommand = 1000

/** Agents write `./src/parser.ts` in one command and `src/parser.ts` in the next. */
const SHOWN = /^\s*(?:cat|nl)(?:\s+-\w+)*\s+(?:\.\/)?([\w@./\\+-]+)\s*$/

/** Line breaks of JSON are written as `\n`, those of Windows as `\r\n`. */
const PATCHED =
  /\*{3} Begin Patch(?:\\r|\r)?(?:\\n|\n)\*{3} (?:Update|Add|Delete) File: (?:\.\/)?([\w@./+ -]+)/

/** The units before a user message that hold the whole text of a file that it names by path or last part: of each the newest. */
export function findNamedFiles(
  { units, entries }: Units,
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
export function findEditsSince({ units }: Units, unit: number, user: number): readonly number[] {
  const files = filesIn(units, unit, unit + 1)
  // `| 1` also makes a signed number of it, as those of `filesIn` are.
  const isEdit = (file: number, place: number) =>
    place % 2 === 1 && file % 2 === 1 && files.has(file | 1)
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
