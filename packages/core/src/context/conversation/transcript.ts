import type { MessageLike } from '../../log/message.ts'
import { describeStray, openRound, type Round } from '../../log/round.ts'
import { inlineNote, interruptedResult } from '../../log/texts.ts'
import { toolResultFor } from '../../log/write-message.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import { firstPlace, placeOf } from './first-place.ts'
import { type Entry, stampEntry } from './stamp-entry.ts'
import { isReference, touchedBy } from './touched.ts'
import { isOrdinary, type Stray, savingOf, type Touched, type Unit, type UnitKind } from './unit.ts'

/** The lists that a transcript is made of, handed over to it: it goes on writing into them. */
export type Lists = Readonly<ReturnType<typeof emptyLists>>

/** Lists without units. `sums`: makes a list of running sums, [k] is that of the units before k. */
export const emptyLists = (sums = () => [0]) => ({
  entries: [] as Entry[],
  units: [] as Unit[],
  /** The cost of all but the first user message and system messages. */
  costBefore: sums(),
  /** The cost of the notes, sent inline. */
  noteCostBefore: sums(),
  /** The tokens that clearing saves. */
  savingBefore: sums(),
  /** The cost of the system messages. */
  systemCostBefore: sums(),
  /** The number of units that a policy may leave out. */
  ordinaryBefore: sums(),
  /** Units that are system messages in the middle of the conversation. */
  systems: [] as number[],
  /** Units that begin a turn. */
  turns: [] as number[],
  /** Units at which a cut can fall: those that begin a turn, and rounds. */
  stops: [] as number[],
  /** Units whose result only says that an earlier one still holds. */
  references: [] as number[],
  /** Units with standing rules of the user, about what those of each cost, and how many units were read for them. */
  rules: { units: [] as number[], tokens: [] as number[], read: 0 },
  notes: [] as { readonly at: number; readonly unit: number }[],
})

/** A conversation after its system prompt, in units, with running sums. Append-only. */
export interface Transcript extends ReadonlyLists {
  /** Index of the first user message's unit, or -1. */
  readonly firstUser: number
  readonly latestUser: number
  /** Set where vectors are kept beside the messages. A fork begins without. */
  meaning?: Meaning | undefined
  /** Set where a message has brought something back from other conversations. A fork begins without. */
  quotes?: Quotes | undefined
  append(source: MessageLike, seq: number): void
  /** A transcript that shares at most the first `length` entries; fewer where that would split a unit. */
  fork(length: number): Transcript
}

/** The running sums of what units cost, of all or as a policy has left them. */
export type Sums = Pick<
  Transcript,
  'costBefore' | 'noteCostBefore' | 'savingBefore' | 'systemCostBefore'
>

/** How well units, or entries of the index, which are units, answer a message: their numbers, and an integer for each. */
export interface Scores {
  readonly units: readonly number[]
  readonly values: Float64Array
}

/** A message of another conversation, word for word. */
export interface Quote {
  /** Names the conversation for the model: the beginning of its first message. Empty for that message itself. */
  readonly name: string
  /** Quotes with the same name of different conversations are told apart by this. */
  readonly conversation: string
  readonly role: 'user' | 'assistant'
  readonly text: string
  readonly time: number
  readonly seq: number
}

/** What one message of this conversation has brought back from others. */
export interface Quotes {
  /** The place of that message among the entries. */
  readonly at: number
  /** The best first. Undefined in place of those whose conversation was deleted. */
  readonly quotes: readonly (Quote | undefined)[]
}

/** How close units are in meaning to a user message; both are named by their units. Made outside, of stored vectors. */
export interface Meaning {
  /** Adds to the scores of words and appends other units. `whole`: what a unit with all words of the message would score. */
  add(user: number, words: { readonly scores: Scores; readonly whole: number }): Scores
  /** Why a unit was found, if its meaning did it more than its words. */
  why(user: number, unit: number): string | undefined
}

type ReadonlyLists = { readonly [Name in keyof Lists]: Readonly<Lists[Name]> }

/** Shared by the units without calls, and by those without strays, which are most. */
const nothing: Touched = []
const none: ReadonlyMap<number, Stray> = new Map()

export function createTranscript(count: TokenCounter, lists: Lists = emptyLists()): Transcript {
  const { entries, units, systems, turns, stops, references, notes, rules } = lists
  /** The open round of the last unit and its strays; undefined when that unit takes no results. */
  let round: Round | undefined
  let strays: Map<number, Stray> | undefined

  /** Puts a unit in its place: behind the others, or in place of the last, which changed. */
  function setLast(unit: Unit): void {
    units[unit.index] = unit
    countUnit(lists, unit.index, unit)
  }

  function begin(kind: UnitKind, tokens: number, stray?: Stray): void {
    close()
    strays = stray && new Map([[entries.length - 1, stray]])
    const index = units.length
    const from = entries.length - 1
    listUnit(lists, index, kind)
    const entry = entries[from]!
    const saving = savingOf(kind, entry.tokens, entry.message, count)
    const touched = kind === 'tools' || kind === 'system' ? touchedBy(entry.message) : nothing
    const empty = { noteTokens: 0, refers: false, missing: [], strays: strays ?? none }
    setLast({ index, kind, from, to: from + 1, tokens, saving, touched, ...empty })
  }

  /** Closes the last round: unanswered calls are marked as missing. */
  function close(): void {
    const last = units.at(-1)
    const missing = round?.unanswered() ?? []
    if (last && missing.length > 0) {
      const { dialect } = entries[last.from]!.message
      const added = missing.map(call => toolResultFor(dialect, call, interruptedResult))
      const tokens = added.reduce(
        (sum, result) => sum + stampEntry(result, 0, count).tokens,
        last.tokens,
      )
      setLast({ ...last, tokens, missing })
    }
    round = undefined
  }

  function addResults(at: number): void {
    const { message, tokens } = entries[at]!
    const last = units.at(-1)
    const unmatched: number[] = []
    for (const [index, result] of message.results.entries())
      if (round && round.take(result) < 0) unmatched.push(index)
    const orphan = !round || (unmatched.length > 0 && unmatched.length === message.results.length)
    const why = describeStray(message.results[unmatched[0] ?? 0] ?? {})
    if (!last || !round) return begin('stray', 0, { why })
    if (orphan || unmatched.length > 0) {
      strays ??= new Map()
      strays.set(at, { ...(!orphan && { results: unmatched }), why })
    }
    const sum = orphan
      ? last
      : {
          tokens: last.tokens + tokens,
          saving: last.saving + savingOf('tools', tokens, message, count),
        }
    const refers = last.refers || message.results.some(({ text }) => isReference(text))
    if (refers && !last.refers) references.push(last.index)
    setLast({ ...last, ...sum, to: at + 1, refers, strays: strays ?? none })
  }

  function addNote(at: number): void {
    const last = units.at(-1)
    const belongs = last?.kind === 'assistant' || last?.kind === 'tools'
    notes.push({ at, unit: belongs ? last.index : units.length })
    if (!belongs) return begin('note', 0)
    const { message } = entries[at]!
    const tokens = count.text(`\n\n${inlineNote(message.text)}`)
    setLast({ ...last, to: at + 1, noteTokens: last.noteTokens + tokens })
  }

  return {
    ...lists,
    get firstUser() {
      return turns[0] ?? -1
    },
    get latestUser() {
      return turns.at(-1) ?? -1
    },
    append(source, seq) {
      const entry = stampEntry(source, seq, count)
      const { message, tokens } = entry
      const at = entries.push(entry) - 1
      switch (message.role) {
        case 'tool':
          return addResults(at)
        case 'assistant_note':
          return addNote(at)
        case 'assistant': {
          begin(message.calls.length > 0 ? 'tools' : 'assistant', tokens)
          if (message.calls.length > 0) round = openRound(message.calls, message.results)
          return
        }
        default:
          return begin(message.role, tokens)
      }
    },
    fork(length) {
      let size = units.length
      while (size > 0 && units[size - 1]!.to > length) size -= 1
      // The last round may have been closed by a message after the fork: it is read again.
      if (size > 0 && units[size - 1]!.kind === 'tools') size -= 1
      const end = units[size]?.from ?? entries.length
      const before = (list: readonly number[]) => list.filter(index => index < size)
      return createTranscript(count, {
        entries: entries.slice(0, end),
        units: units.slice(0, size),
        costBefore: lists.costBefore.slice(0, size + 1),
        noteCostBefore: lists.noteCostBefore.slice(0, size + 1),
        savingBefore: lists.savingBefore.slice(0, size + 1),
        systemCostBefore: lists.systemCostBefore.slice(0, size + 1),
        ordinaryBefore: lists.ordinaryBefore.slice(0, size + 1),
        systems: before(systems),
        turns: before(turns),
        stops: before(stops),
        references: before(references),
        rules: rulesBefore(rules, size),
        notes: notes.filter(note => note.unit < size),
      })
    },
  }
}

function rulesBefore({ units, tokens, read }: Lists['rules'], size: number): Lists['rules'] {
  const end = placeOf(units, size)
  return { units: units.slice(0, end), tokens: tokens.slice(0, end), read: Math.min(read, size) }
}

/** Puts a new unit into the lists of its kind. */
export function listUnit({ systems, turns, stops }: Lists, index: number, kind: UnitKind): void {
  if (kind === 'system') systems.push(index)
  if (kind === 'user') turns.push(index)
  if (kind === 'user' || kind === 'tools') stops.push(index)
}

/** Adds a unit to the sums, behind the others, or counts the last one anew. */
export function countUnit(
  { costBefore, noteCostBefore, savingBefore, systemCostBefore, ordinaryBefore, turns }: Lists,
  index: number,
  { kind, tokens, noteTokens, saving }: Pick<Unit, 'kind' | 'tokens' | 'noteTokens' | 'saving'>,
): void {
  const goes = isOrdinary({ kind }) && index !== turns[0]
  costBefore[index + 1] = costBefore[index]! + (goes ? tokens : 0)
  noteCostBefore[index + 1] = noteCostBefore[index]! + noteTokens
  savingBefore[index + 1] = savingBefore[index]! + (goes ? saving : 0)
  systemCostBefore[index + 1] = systemCostBefore[index]! + (kind === 'system' ? tokens : 0)
  ordinaryBefore[index + 1] = ordinaryBefore[index]! + (goes ? 1 : 0)
}

/** Of more user messages in a row the older ones count as said before. */
const mostInRow = 32

/** The unit where the exchange before a turn begins: the first user message that the last reply answers, else the first of all. */
export function exchangeStart({ turns, ordinaryBefore }: Transcript, turn: number): number {
  // The first user message is not among the ordinary units.
  const repliesBefore = (place: number) => ordinaryBefore[turns[place]!]! - Math.max(0, place - 1)
  const firstOfRow = (last: number) =>
    Math.max(
      last - mostInRow,
      firstPlace(last, place => repliesBefore(place) === repliesBefore(last)),
    )
  return turns[firstOfRow(Math.max(0, firstOfRow(turn) - 1))]!
}

/** How many of the last turns say how long the next ones will be. */
const lastTurns = 20

/** The tokens of a turn, on average of the last ones. */
export function meanTurn(transcript: Transcript): number {
  const { units, turns } = transcript
  const many = Math.max(1, Math.min(lastTurns, turns.length))
  return Math.max(
    16,
    Math.ceil(costBetween(transcript, turns.at(-lastTurns) ?? 0, units.length) / many),
  )
}

/** The cost of the units from one up to another that may go, with their notes where those are sent inline. */
export function costBetween(
  { costBefore, noteCostBefore }: Sums,
  from: number,
  to: number,
  inlineNotes = false,
) {
  const cost = costBefore[to]! - costBefore[from]!
  return inlineNotes ? cost + noteCostBefore[to]! - noteCostBefore[from]! : cost
}
