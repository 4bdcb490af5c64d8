import type { Fate, Part, Receipt, ReceiptEntry } from '../context/receipt.ts'
import { parts } from '../context/receipt.ts'
import { blue, bold, cyan, dim, green, grey, magenta, red, type Style, yellow } from './style.ts'

const fateColours: Readonly<Record<Fate, number>> = {
  kept: green,
  altered: yellow,
  digested: cyan,
  recalled: magenta,
  moved: blue,
  elided: grey,
}

const partColours: Readonly<Record<Part, number>> = {
  framing: grey,
  tools: blue,
  system: blue,
  first: green,
  marker: yellow,
  notes: yellow,
  digests: cyan,
  journal: cyan,
  recall: magenta,
  history: green,
  latest: red,
}

/** A line for every message; runs that share their fate and reason are one line. */
export function showReceipt(receipt: Receipt, style: Style): string {
  const rows = toRuns(receipt.entries).map(run => [
    run.from === run.to ? `${run.from}` : `${run.from}–${run.to}`,
    run.fate,
    `${run.tokens}`,
    run.roles,
    run.rule,
    run.why,
  ])
  const head = ['messages', 'fate', 'tokens', 'roles', 'rule', 'why']
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map(row => row[column]!.length)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === 2 ? cell.padStart(widths[2]!) : cell.padEnd(widths[column]!)))
      .join('  ')
      .trimEnd()
  const body = rows.map(row => style(fateColours[row[1] as Fate], line(row)))
  return [style(bold, line(head)), ...body, '', showTotals(receipt, style), ''].join('\n')
}

/** How full the window is, part by part, as a bar and in figures. */
export function showTotals(receipt: Receipt, style: Style, width = 64): string {
  const used = parts.filter(part => receipt.parts[part] > 0)
  const scale = Math.max(receipt.window, receipt.tokens)
  const cells = (tokens: number) => Math.round((tokens / scale) * width)
  const bar = used
    .map(part => style(partColours[part], '█'.repeat(Math.max(1, cells(receipt.parts[part])))))
    .join('')
  const free = style(dim, '░'.repeat(Math.max(0, cells(scale - receipt.tokens))))
  const legend = used
    .map(part => `${style(partColours[part], '■')} ${part} ${receipt.parts[part]}`)
    .join('  ')
  const over = receipt.over > 0 ? style(red, ` ${receipt.over} over the capacity!`) : ''
  const fates = Object.entries(receipt.counts)
    .filter(([, count]) => count > 0)
    .map(([fate, count]) => style(fateColours[fate as Fate], `${count} ${fate}`))
    .join(', ')
  return [
    `${bar}${free} ${receipt.tokens} of ${receipt.window} tokens${over}`,
    legend,
    `${fates} · reserve ${receipt.reserve}, margin ${receipt.margin} · ${receipt.policy} · ${receipt.counter}`,
  ].join('\n')
}

interface Run {
  readonly from: number
  to: number
  tokens: number
  roles: string
  readonly fate: Fate
  readonly rule: string
  readonly why: string
}

function toRuns(entries: readonly ReceiptEntry[]): readonly Run[] {
  const runs: Run[] = []
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
