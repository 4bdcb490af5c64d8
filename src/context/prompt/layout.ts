import { isCount } from '../../log/is-count.ts'
import { isObject } from '../../log/parse-json.ts'
import { isMoment, isSample } from './is-moment.ts'
import { matchLines } from './match-lines.ts'
import type { PromptLine } from './split-lines.ts'

/**
 * What earlier calls have shown of a system prompt: which of its lines stand still. It holds no texts. Pass on what a context
 * gives as `promptLayout`.
 */
export interface PromptLayout {
  /** For each system message the ids of the lines in its head, divided by blanks; `_2` where lines change, indented by 2. */
  readonly heads?: readonly string[]
  /** The tokens that a cut keeps for the changing lines: the most that they ever had, rounded up. */
  readonly room?: number
  /** The hash of the changing lines as they were sent last, and the place of the message that they stood before. */
  readonly last?: { readonly hash: string; readonly before: number }
  /** Hashes of the tools in the order in which they were first sent. */
  readonly tools?: readonly string[]
}

/** Whether a value has the form of a layout: it may come from an import. */
export function isLayout(value: unknown): value is PromptLayout {
  if (!isObject(value)) return false
  const { heads = [], room = 0, last = { hash: '', before: 0 }, tools = [] } = value
  const areTexts = (list: unknown) => Array.isArray(list) && list.every(one => typeof one === 'string')
  const isPlace = isObject(last) && typeof last.hash === 'string' && isCount(last.before)
  return areTexts(heads) && areTexts(tools) && isCount(room) && isPlace
}

/** The fields of a layout that an earlier one does not have so; undefined if there are none. */
export function learnedIn(layout: PromptLayout, before: PromptLayout = {}): PromptLayout | undefined {
  const isNew = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(before[name as keyof PromptLayout])
  const learned = Object.entries(layout).filter(isNew)
  return learned.length > 0 ? Object.fromEntries(learned) : undefined
}

/** One system message, divided. */
export interface Arranged {
  /** The ids of the head. */
  readonly head: readonly string[]
  /** For each line whether it stands in the head. */
  readonly isStill: readonly boolean[]
}

/** Divides a prompt into what stands still and what changes, by the head of an earlier prompt if there is one. */
export function arrange(lines: readonly PromptLine[], known: readonly string[] | undefined): Arranged {
  return (known && follow(lines, known)) ?? begin(lines)
}

/** A line at which a head has changing lines. */
export const isGap = (id: string): boolean => id.startsWith('_')

const toGap = ({ indent }: PromptLine): string => `_${Math.min(indent, 40)}`

/** Of a prompt that is new, the times and dates are known by their form. */
function begin(lines: readonly PromptLine[]): Arranged {
  /** What ends the sample in which a line stands. */
  let end = ''
  const moments = lines.filter(({ text, above }) => {
    const begin = /^\s*(```|<example\w*)/.exec(end === '' ? text : '')
    if (begin) end = begin[1]!.replace('<', '</')
    const isOutside = end === ''
    if (text.includes(end, begin?.[0].length)) end = ''
    return isOutside && !isSample(above?.name.slice(-200).toLowerCase() ?? '') && isMoment(text.trim())
  })
  // Many times are a list of events, not the time of now.
  const isAny = moments.length <= mostMoments && moments.length < lines.length
  const changing = new Set(isAny ? moments : [])
  const isStill = lines.map(line => !changing.has(line))
  return { head: withoutRepeats(lines.map((line, at) => (isStill[at] ? line.id : toGap(line)))), isStill }
}

const mostMoments = 4

/**
 * Keeps the head of an earlier prompt as far as its lines were sent again; undefined if most of them were not. New lines do
 * not join the head, so that each line can change it only once. With `joins` they do: a long run of new lines costs
 * more when it is read again on every turn than a new head costs once.
 */
function follow(lines: readonly PromptLine[], known: readonly string[], joins = false): Arranged | undefined {
  const places = matchLines(
    known,
    lines.map(({ id }) => id),
  )
  const isStill = places.map(place => place >= 0)
  const wasStill = known.filter(id => !isGap(id)).length
  if (isStill.filter(Boolean).length * 2 < wasStill) return undefined
  const head: string[] = []
  let added = 0
  /** The first place of the earlier head, and the first line, behind the last line that stands still. */
  let [next, from] = [0, 0]
  const closeRun = (end: number, to: number) => {
    const before = known.slice(next, end)
    const gap = before.find(isGap) ?? (before.length > 0 && from < to ? toGap(lines[from]!) : undefined)
    if (gap !== undefined) head.push(gap)
    for (let at = from; gap === undefined && at < to; at++) {
      added += lines[at]!.text.length
      if (joins) head.push(lines[at]!.id)
      if (joins) isStill[at] = true
    }
    next = end + 1
    from = to + 1
  }
  for (const [at, place] of places.entries()) {
    if (place < 0) continue
    closeRun(place, at)
    head.push(lines[at]!.id)
  }
  closeRun(known.length, lines.length)
  const length = lines.reduce((sum, { text }) => sum + text.length, 0)
  if (!joins && added * mostAdded > length) return follow(lines, known, true)
  return { head: withoutRepeats(head), isStill }
}

/** A fourth of the prompt. */
const mostAdded = 4

/** One mark for changing lines in a row. */
const withoutRepeats = (head: readonly string[]): readonly string[] =>
  head.filter((id, at) => !(isGap(id) && at > 0 && isGap(head[at - 1]!)))
