import type { ExperimentEntry } from '../../../../src/experiment/log/experiment-log.ts'
import { parseJson, parseJsonObject } from '../../../../src/log/parse-json.ts'
import type { RoleAct } from '../../api/experiment-queries.ts'
import type { LogEntry } from '../../parts/use-texts.ts'
import { shownValue } from './series.ts'
import type { Acts } from './use-acts.ts'
import type { Warning } from './use-watched.ts'

interface LogRow {
  readonly key: string
  readonly time: number
  readonly step?: number | undefined
  readonly who: string
  readonly what: string
  readonly more: string
  readonly kind: 'step' | 'tool' | 'text' | 'failed' | 'hook' | 'warning' | 'end'
  /** The entry in the thread of the role. */
  readonly seq?: number
}

interface LogSources {
  readonly acts: Acts
  /** The entries of the experiment's own thread. */
  readonly entries: readonly LogEntry[]
  readonly warnings: readonly Warning[]
  /** The first step that is shown. */
  readonly first: number
}

/** The log of an experiment: what roles did, and what the experiment itself wrote down, by time. */
export function logRows({ acts, entries, warnings, first }: LogSources): readonly LogRow[] {
  const rows: LogRow[] = []
  for (const [step, of] of acts)
    if (step >= first) for (const act of of.values()) for (const row of actRows(step, act)) rows.push(row)
  const start = Math.min(...[...(acts.get(first)?.values() ?? [])].map(({ startedAt }) => startedAt))
  for (const { seq, time, message } of entries) {
    const entry = parseJsonObject(String((message as { readonly content?: unknown }).content))
    const row = entry && eventRow(entry as unknown as ExperimentEntry)
    if (row && (first === 1 || time >= start)) rows.push({ key: `own ${seq}`, time, who: '', ...row })
  }
  for (const [at, { at: time, code, message, role = '' }] of warnings.entries())
    rows.push({ key: `warning ${at}`, time, who: role, what: code, more: message, kind: 'warning' })
  // The sort is stable: what has the same time stays in the order of steps and roles.
  return rows.sort((a, b) => a.time - b.time)
}

function* actRows(step: number, act: RoleAct): Generator<LogRow> {
  const { role, turn, startedAt, endedAt, text, tools, error } = act
  const row = { step, who: role, time: startedAt }
  for (const [at, { seq, name, arguments: json, result = 'running', isError, changes }] of tools.entries()) {
    const changed = Object.entries(changes).map(([variable, value]) => `${variable} → ${value}`)
    const more = [json, result, ...changed].filter(piece => piece !== '').join(' · ')
    const kind = isError ? 'failed' : 'tool'
    yield { ...row, seq, key: `${role} ${turn} ${at}`, what: name, more, kind }
  }
  if (text !== '') yield { ...row, key: `${role} ${turn} text`, what: 'said', more: text, kind: 'text' }
  if (error !== undefined) {
    const time = endedAt ?? startedAt
    yield { ...row, time, key: `${role} ${turn} error`, what: 'failed', more: error, kind: 'failed' }
  }
}

type EventRow = Pick<LogRow, 'what' | 'more' | 'kind'> & Partial<LogRow>

function eventRow(entry: ExperimentEntry): EventRow | undefined {
  switch (entry.kind) {
    case 'created':
      return { what: 'begun', more: entry.name, kind: 'end' }
    case 'step-ended': {
      const { step, goal, environment } = entry
      const values = Object.entries(environment).map(([name, value]) => `${name} ${shownValue(value)}`)
      const met = goal ? `the goal holds: ${goal.description}  ` : ''
      return { step, what: `step ${step} ended`, more: `${met}${values.join(', ')}`, kind: 'step' }
    }
    case 'hook':
      return hookRow(entry)
    case 'failing':
      return { who: entry.role, what: 'fails', more: entry.result, kind: 'failed' }
    case 'paused':
    case 'resumed':
      return { what: entry.kind, more: '', kind: 'end' }
    case 'ended':
      return { what: entry.status.toLowerCase(), more: entry.result, kind: 'end' }
    default:
      return undefined
  }
}

/** A hook that decided nothing is not worth a row. */
function hookRow(entry: Extract<ExperimentEntry, { readonly kind: 'hook' }>): EventRow | undefined {
  const { key, inject = [], images, skip, endStep, stop, errors = [] } = entry
  const decisions = [
    ...inject.map(({ content }) => `says: ${content}`),
    images && `shows images: ${images.length}`,
    skip && 'skips it',
    endStep && 'ends the step',
    stop !== undefined && `stops the experiment: ${stop}`,
    ...errors,
  ].filter(Boolean)
  if (decisions.length === 0) return undefined
  const [on = 'hook', step, role = ''] = (parseJson(key) ?? []) as [string?, number?, string?]
  const kind = entry.errors ? 'warning' : 'hook'
  return { step, who: role, what: `hook ${on}`, more: decisions.join('; '), kind }
}
