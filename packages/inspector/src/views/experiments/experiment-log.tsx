import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { parseJson, parseJsonObject } from '@throughline/core/values'
import type { ExperimentEntry } from '@throughline/experiment/api-types'
import { useState } from 'react'
import { experimentActor, type RoleAct, stepsPerPage } from '../../api/experiment-queries.ts'
import { logQuery } from '../../api/queries.ts'
import { viewAt } from '../../parts/address.ts'
import { Button } from '../../parts/button.tsx'
import { amountOf } from '../../parts/format.ts'
import type { LogEntry } from '../../parts/use-texts.ts'
import { type Acts, type BoardProps, useActs } from './board-state.ts'
import styles from './experiment-log.module.css'
import { shownValue } from './series.ts'
import type { Warning, Watched } from './use-watched.ts'

const secondsOf = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})

/** Beyond the end of any thread: the log up to it is the whole log. */
const theEnd = 1_000_000_000

/** What happened, in the order in which it happened: the newest pages of steps first, earlier ones when they are asked for. */
export function ExperimentLog({
  shown,
  warnings,
}: Pick<BoardProps, 'shown'> & Pick<Watched, 'warnings'>) {
  const { id, steps, maxSteps } = shown
  const [pages, setPages] = useState(1)
  const open = Math.min(steps + 1, maxSteps)
  const first = Math.max(1, (Math.ceil(open / stepsPerPage) - pages) * stepsPerPage + 1)
  const acts = useActs(shown, first, open)
  const thread = { conversation: id, actor: experimentActor }
  const { data } = useQuery(logQuery(thread, { at: theEnd, limit: 1000 }))
  const rows = logRows(acts, data?.entries ?? [], warnings, first)
  return (
    <section className={`low scrolls line-above ${styles.log}`} aria-label="Log">
      {first > 1 && (
        <p className="padded">
          <Button onClick={() => setPages(pages + 1)}>
            Show earlier steps ({amountOf(first - 1, 'step')} more)
          </Button>
        </p>
      )}
      <table className={`table ${styles.table}`}>
        <thead>
          <tr>
            {['Time', 'Step', 'Who', 'What'].map(name => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, time, step, who, what, more, kind, seq }) => (
            <tr key={key} data-kind={kind}>
              <td>{secondsOf.format(time)}</td>
              <td>{step}</td>
              <td className="breaks">{who}</td>
              <td className={`breaks ${styles.what}`}>
                {seq === undefined ? (
                  <span className={`clear bold ${styles.name}`}>{what}</span>
                ) : (
                  <Link
                    {...viewAt('context', id, { actor: who, entry: seq })}
                    className={`clear bold ${styles.name}`}
                  >
                    {what}
                  </Link>
                )}{' '}
                {more}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface LogRow {
  readonly key: string
  readonly time: number
  readonly step?: number | undefined
  readonly who: string
  readonly what: string
  readonly more: string
  readonly kind: 'step' | 'tool' | 'text' | 'failed' | 'hook' | 'warning' | 'end'
  readonly seq?: number
}

/** What roles did from the step `first` on, and what the experiment itself wrote down, by time. */
function logRows(
  acts: Acts,
  entries: readonly LogEntry[],
  warnings: readonly Warning[],
  first: number,
) {
  const rows: LogRow[] = []
  for (const [step, of] of acts)
    if (step >= first)
      for (const act of of.values()) for (const row of actRows(step, act)) rows.push(row)
  const start = Math.min(
    ...[...(acts.get(first)?.values() ?? [])].map(({ startedAt }) => startedAt),
  )
  for (const { seq, time, message } of entries) {
    const entry = parseJsonObject(String((message as { readonly content?: unknown }).content))
    const row = entry && eventRow(entry as unknown as ExperimentEntry)
    if (row && (first === 1 || time >= start))
      rows.push({ key: `own ${seq}`, time, who: '', ...row })
  }
  for (const [at, { at: time, code, message, role = '' }] of warnings.entries())
    rows.push({ key: `warning ${at}`, time, who: role, what: code, more: message, kind: 'warning' })
  // The sort is stable: what has the same time stays in the order of steps and roles.
  return rows.sort((a, b) => a.time - b.time)
}

function* actRows(step: number, act: RoleAct): Generator<LogRow> {
  const { role, turn, startedAt, endedAt, text, tools, error } = act
  const row = { step, who: role, time: startedAt }
  for (const [
    at,
    { seq, name, arguments: json, result = 'running', isError, changes },
  ] of tools.entries()) {
    const changed = Object.entries(changes).map(([variable, value]) => `${variable} → ${value}`)
    const more = [json, result, ...changed].filter(piece => piece !== '').join(' · ')
    const kind = isError ? 'failed' : 'tool'
    yield { ...row, seq, key: `${role} ${turn} ${at}`, what: name, more, kind }
  }
  if (text !== '')
    yield { ...row, key: `${role} ${turn} text`, what: 'said', more: text, kind: 'text' }
  if (error !== undefined) {
    const time = endedAt ?? startedAt
    yield {
      ...row,
      time,
      key: `${role} ${turn} error`,
      what: 'failed',
      more: error,
      kind: 'failed',
    }
  }
}

type EventRow = Pick<LogRow, 'what' | 'more' | 'kind'> & Partial<LogRow>

function eventRow(entry: ExperimentEntry): EventRow | undefined {
  switch (entry.kind) {
    case 'created':
      return { what: 'begun', more: entry.name, kind: 'end' }
    case 'step-ended': {
      const { step, goal, environment } = entry
      const values = Object.entries(environment).map(
        ([name, value]) => `${name} ${shownValue(value)}`,
      )
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
