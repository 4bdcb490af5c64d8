import type { RoleAct } from '../../api/experiment-queries.ts'
import type { LogEntry } from '../../parts/use-texts.ts'
import { shownValue } from './series.ts'
import type { Acts } from './use-steps.ts'
import type { Warning } from './use-watched.ts'

export interface LogRow {
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

export interface ToLog {
  readonly acts: Acts
  /** The entries of the experiment's own thread. */
  readonly own: readonly LogEntry[]
  readonly warnings: readonly Warning[]
  /** The first step that is shown. */
  readonly first: number
}

/** The log of an experiment: what roles did, and what the experiment itself wrote down, by time. */
export function logRows({ acts, own, warnings, first }: ToLog): readonly LogRow[] {
  const rows: LogRow[] = []
  for (const [step, of] of acts)
    if (step >= first) for (const act of of.values()) for (const row of actRows(step, act)) rows.push(row)
  let start = Number.POSITIVE_INFINITY
  for (const { startedAt } of acts.get(first)?.values() ?? []) start = Math.min(start, startedAt)
  for (const entry of own) {
    const row = ownRow(entry)
    if (row && (first === 1 || row.time >= start)) rows.push(row)
  }
  for (const [at, { at: time, code, message, role = '' }] of warnings.entries())
    rows.push({ key: `warning ${at}`, time, who: role, what: code, more: message, kind: 'warning' })
  // The sort is stable: what has the same time stays in the order of steps and roles.
  return rows.sort((a, b) => a.time - b.time)
}

function actRows(
  step: number,
  { role, turn, startedAt, endedAt, text, tools, error }: RoleAct,
): readonly LogRow[] {
  const row = { step, who: role, time: startedAt }
  return [
    ...tools.map(({ seq, name, arguments: given, result, isError, changes }, at): LogRow => {
      const changed = Object.entries(changes).map(([variable, value]) => `${variable} → ${value}`)
      const answer = result === undefined ? ['running'] : result === '' ? [] : [result]
      const more = [given, ...answer, ...changed].join(' · ')
      return {
        ...{ ...row, seq, what: name, more },
        key: `${role} ${turn} ${at}`,
        kind: isError ? 'failed' : 'tool',
      }
    }),
    ...(text === ''
      ? []
      : [{ ...row, key: `${role} ${turn} text`, what: 'said', more: text, kind: 'text' } as const]),
    ...(error === undefined
      ? []
      : [
          {
            ...row,
            time: endedAt ?? startedAt,
            key: `${role} ${turn} error`,
            what: 'failed',
            more: error,
            kind: 'failed',
          } as const,
        ]),
  ]
}

interface OwnEntry {
  readonly kind?: unknown
  readonly [field: string]: unknown
}

function ownRow({ seq, time, message }: LogEntry): LogRow | undefined {
  const entry = readOwn((message as { readonly content?: unknown }).content)
  const row = { key: `own ${seq}`, time, who: '' }
  switch (entry.kind) {
    case 'created':
      return { ...row, what: 'begun', more: String(entry.name ?? ''), kind: 'end' }
    case 'step-ended': {
      const goal = entry.goal as { readonly description?: unknown } | undefined
      const values = Object.entries((entry.environment ?? {}) as object).map(
        ([name, value]) => `${name} ${shownValue(value)}`,
      )
      const met = goal ? `the goal holds: ${String(goal.description)}  ` : ''
      return {
        ...{ ...row, step: Number(entry.step), what: `step ${String(entry.step)} ended`, kind: 'step' },
        more: `${met}${values.join(', ')}`,
      }
    }
    case 'hook':
      return hookRow(row, entry)
    case 'failing':
      return {
        ...row,
        who: String(entry.role ?? ''),
        what: 'fails',
        more: String(entry.result ?? ''),
        kind: 'failed',
      }
    case 'paused':
    case 'resumed':
      return { ...row, what: entry.kind, more: '', kind: 'end' }
    case 'ended':
      return {
        ...row,
        what: String(entry.status ?? 'ended').toLowerCase(),
        more: String(entry.result ?? ''),
        kind: 'end',
      }
    default:
      return undefined
  }
}

/** A hook that decided nothing is not worth a row. */
function hookRow(row: Pick<LogRow, 'key' | 'time' | 'who'>, entry: OwnEntry): LogRow | undefined {
  const { inject, images, skip, endStep, stop, errors } = entry
  const decided = [
    ...(Array.isArray(inject) ? inject.map(({ content }) => `says: ${String(content)}`) : []),
    ...(Array.isArray(images) ? [`shows images: ${images.length}`] : []),
    ...(skip ? ['skips it'] : []),
    ...(endStep ? ['ends the step'] : []),
    ...(stop === undefined ? [] : [`stops the experiment: ${String(stop)}`]),
    ...(Array.isArray(errors) ? errors.map(String) : []),
  ]
  if (decided.length === 0) return undefined
  const [on = 'hook', step, role] = readKey(entry.key)
  return {
    ...{ ...row, what: `hook ${String(on)}`, more: decided.join('; '), kind: errors ? 'warning' : 'hook' },
    ...(typeof step === 'number' && { step }),
    who: typeof role === 'string' ? role : '',
  }
}

function readOwn(content: unknown): OwnEntry {
  try {
    return (JSON.parse(String(content)) as OwnEntry | null) ?? {}
  } catch {
    return {}
  }
}

function readKey(key: unknown): readonly unknown[] {
  try {
    const read: unknown = JSON.parse(String(key))
    return Array.isArray(read) ? read : []
  } catch {
    return []
  }
}
