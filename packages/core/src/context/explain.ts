import { InvalidOptionError, showValue } from '../log/error.ts'
import { freeParts } from '../log/free-parts.ts'
import { cut, few, plural } from '../log/line.ts'
import {
  type Fate,
  type Part,
  parts,
  type Receipt,
  type ReceiptCut,
  type ReceiptEntry,
} from './receipt.ts'

/**
 * A receipt in words: a table of all messages; or, with `seq` (a message's place, in a list from 0, in a log from 1), the
 * fate of that message and why.
 *
 * @example
 * explain(receipt, 57)
 * // Message 57 (user, 42 tokens) was left out: before the cut (balanced). The cut stands before message 60. It fell at …
 */
export function explain(receipt: Receipt, seq?: number): string {
  if (seq === undefined) return receiptTable(receipt)
  const { role, tokens, fate, why, rule } = entryAt(receipt, seq)
  const verdict = `Message ${seq} (${role}, ${tokens} tokens) ${became[fate]}: ${why} (${rule}).`
  return fate === 'kept' || fate === 'altered' ? verdict : `${verdict} ${describeRoom(receipt)}`
}

/** The line of a message. Throws InvalidOptionError for a place that no message has. */
export function entryAt({ entries }: Receipt, seq: number): ReceiptEntry {
  const first = entries[0]?.seq ?? 0
  const entry = entries[seq - first]
  if (entry) return entry
  const expected = `the place of a message, ${first} to ${first + entries.length - 1}`
  throw new InvalidOptionError('seq', `expected ${expected}, got ${showValue(seq)}`)
}

const became: Readonly<Record<Fate, string>> = {
  kept: 'is sent as it is',
  altered: 'is sent, but changed',
  cleared: 'is sent as one line',
  digested: 'is not sent, a line stands for it',
  recalled: 'was cut and brought back, in a block of recalled messages',
  moved: 'stands in the notes section',
  omitted: 'was left out',
}

/** Colours a cell or a bar. It must not change the text's width, or the columns would not align. */
export type Paint = (what: Fate | Part | 'head' | 'free' | 'over', text: string) => string

const plain: Paint = (_what, text) => text

/** A line for every message (or run with the same fate and reason), then how full the window is, and why. */
export function receiptTable(receipt: Receipt, paint: Paint = plain): string {
  const rows = toRuns(receipt.entries).map(run => [
    run.from === run.to ? `${run.from}` : `${run.from}–${run.to}`,
    run.fate,
    `${run.tokens}`,
    run.roles,
    cut(run.rule, 200),
    cut(run.why, 200),
  ])
  const head = ['messages', 'fate', 'tokens', 'roles', 'rule', 'why']
  const widths = head.map((title, column) =>
    rows.reduce((widest, row) => Math.max(widest, row[column]!.length), title.length),
  )
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === 2 ? cell.padStart(widths[2]!) : cell.padEnd(widths[column]!),
      )
      .join('  ')
      .trimEnd()
  const body = rows.map(row => paint(row[1] as Fate, line(row)))
  const faults = receipt.faults.map(({ seq, problem }) =>
    paint('over', `message ${seq}: ${problem}`),
  )
  return [paint('head', line(head)), ...body, '', ...faults, ...totals(receipt, paint), ''].join(
    '\n',
  )
}

/** Where, when and why the conversation was cut; then the free tokens, and what they are for. */
function describeRoom({ tokens, capacity, free, counts, cut: at }: Receipt): string {
  const used = `${toText(tokens)} of ${toText(capacity)} tokens are used, ${toText(free)} are free`
  if (!at) return `${used}.`
  const isCut = counts.omitted + counts.digested + counts.recalled > 0
  const what = isCut
    ? `The cut stands before message ${at.before}. It fell at message ${at.at}`
    : `Nothing is cut. Long results and answers became lines at message ${at.at}`
  const why =
    at.needed > at.limit
      ? `when the conversation needed ${toText(at.needed)} tokens and had room for ${toText(at.limit)}`
      : 'which asks for more than was free'
  const how =
    'this happens seldom and then goes far, so that the beginning of the prompt stays as it was'
  const next = describeFree(free, at)
  const right = at.right === undefined ? '' : ` From message ${at.right} on all stays by right.`
  return `${what}, ${why}; ${how}.${right} ${used}${next}.`
}

/** What the free tokens are for. */
function describeFree(free: number, cut: ReceiptCut): string {
  const { turns, recall, rest } = freeParts(free, cut)
  const how = cut.turns > 0 ? `about ${plural(cut.turns, 'more turn')}` : 'a part of the next turn'
  const parts = [
    turns > 0 && `${toText(turns)} for ${how}, so that nothing is read again until then`,
    recall > 0 && `${toText(recall)} for what a message asks for`,
    rest > 0 && turns + recall > 0 && `${toText(rest)} for anything`,
  ].filter(part => part !== false)
  return parts.length === 0 ? '' : `: ${parts.join(', and ')}`
}

/** Which lines of the system prompt stand apart, and what that saved. */
function describeChanging({ changing }: Receipt): readonly string[] {
  if (!changing) return []
  const { lines, tokens, saved } = changing
  const what = `${plural(lines.length, 'line')} of the system prompt stand${lines.length === 1 ? 's' : ''}`
  const why =
    saved === undefined ? '' : `; ${toText(saved)} tokens need not be read again thanks to it`
  const short = lines.map(line => cut(line, 60))
  return [
    `${what} just before the newest message, as they change (${toText(tokens)} tokens${why}): ${few(short, 4)}`,
  ]
}

/** The standing rules that are sent apart from their messages. */
const describeRules = ({ rules = [] }: Receipt): readonly string[] =>
  rules.map(({ seq, text }) => `standing rule, said in #${seq}: ${cut(text, 200)}`)

const toText = (tokens: number) => tokens.toLocaleString('en-US')

const width = 64

/** How full the window is, part by part, as a bar and in figures. */
function totals(receipt: Receipt, paint: Paint): readonly string[] {
  const used = parts.filter(part => receipt.parts[part] > 0)
  const scale = Math.max(receipt.window, receipt.tokens)
  const cells = (tokens: number) => Math.round((tokens / scale) * width)
  const bar = used
    .map(part => paint(part, '█'.repeat(Math.max(1, cells(receipt.parts[part])))))
    .join('')
  const free = paint('free', '░'.repeat(Math.max(0, cells(scale - receipt.tokens))))
  const legend = used.map(part => `${paint(part, '■')} ${part} ${receipt.parts[part]}`).join('  ')
  const over = receipt.over > 0 ? paint('over', ` ${receipt.over} over the capacity!`) : ''
  const fates = Object.entries(receipt.counts)
    .filter(([, count]) => count > 0)
    .map(([fate, count]) => paint(fate as Fate, `${count} ${fate}`))
    .join(', ')
  return [
    `${bar}${free} ${receipt.tokens} of ${receipt.window} tokens${over}`,
    legend,
    ...(receipt.toolsSaved
      ? [`tools: shorter descriptions saved ${receipt.toolsSaved} tokens`]
      : []),
    `${fates} · reserve ${receipt.reserve}, margin ${receipt.margin} · ${receipt.policy} · ${receipt.counter}`,
    ...describeRules(receipt),
    ...describeChanging(receipt),
    describeRoom(receipt),
  ]
}

interface EntryRun extends Pick<ReceiptEntry, 'fate' | 'rule' | 'why'> {
  readonly from: number
  to: number
  tokens: number
  roles: string
}

function toRuns(entries: readonly ReceiptEntry[]): readonly EntryRun[] {
  const runs: EntryRun[] = []
  for (const { seq, role, fate, rule, why, tokens } of entries) {
    const last = runs.at(-1)
    if (last && last.fate === fate && last.rule === rule && last.why === why) {
      last.to = seq
      last.tokens += tokens
      if (!last.roles.split(', ').includes(role)) last.roles += `, ${role}`
    } else runs.push({ from: seq, to: seq, tokens, roles: role, fate, rule, why })
  }
  return runs
}
