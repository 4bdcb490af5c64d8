import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { callsQuery, outlineQuery } from '../../api/queries.ts'
import type { AnswerOf } from '../../api/routes.ts'
import { usePlace } from '../../parts/address.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Explained } from '../../parts/explained.tsx'
import { amountOf, count, dayTime } from '../../parts/format.ts'
import { useKeys } from '../../parts/keys.ts'
import { QueryState } from '../../parts/query-state.tsx'
import { type MarkName, StatusMark } from '../../parts/status-mark.tsx'
import { callDurations, shownDuration } from './call-durations.ts'
import { CallPanel } from './call-panel.tsx'
import styles from './calls-view.module.css'

type Calls = AnswerOf<'get /conversations/:conversation/calls'>
type ListedCall = Calls['calls'][number]

const mark: Readonly<Record<ListedCall['status'], MarkName>> = {
  sent: 'running',
  completed: 'done',
  failed: 'failed',
  cancelled: 'stopped',
  interrupted: 'interrupted',
}

/** Every model call, the newest first, also those that failed or were cancelled. */
export function CallsView() {
  const { thread } = usePlace()
  const [limit, setLimit] = useState(200)
  const query = useQuery(callsQuery(thread, limit))
  return (
    <QueryState query={query}>
      {({ calls, readAhead }) =>
        calls.length === 0 ? (
          <EmptyState title="No calls are stored">
            An imported conversation has none: its model was asked elsewhere. Each call of this server stands
            here with the request that was sent.
          </EmptyState>
        ) : (
          <List
            calls={calls}
            readAhead={readAhead}
            onMore={
              calls.length === limit && limit < 5000 ? () => setLimit(Math.min(5000, limit * 5)) : undefined
            }
          />
        )
      }
    </QueryState>
  )
}

interface ListProps extends Pick<Calls, 'readAhead'> {
  readonly calls: readonly ListedCall[]
  readonly onMore: (() => void) | undefined
}

function List({ calls, readAhead, onMore }: ListProps) {
  const { thread, search, go } = usePlace()
  const { data: outline } = useQuery(outlineQuery(thread))
  const durations = useMemo(() => callDurations(calls, outline ?? []), [calls, outline])
  const chosen = calls.find(({ id }) => id === search.call)
  const failed = calls.filter(({ status }) => status !== 'completed' && status !== 'sent').length
  const at = chosen ? calls.indexOf(chosen) : -1
  const choose = (index: number) => {
    const one = calls[Math.min(Math.max(0, index), calls.length - 1)]
    if (one) go({ call: one.id, turn: one.turn })
  }
  useKeys('Calls', [
    { keys: 'j', does: 'next call', run: () => choose(at + 1) },
    { keys: 'k', does: 'call before', run: () => choose(at - 1) },
    { keys: 'Escape', does: 'close the call', run: () => go({ call: undefined, turn: undefined }) },
  ])
  return (
    <div className={`view single ${styles.view}`} data-open={chosen !== undefined}>
      <div className={`slim scrolls ${styles.list}`}>
        <header className="padded">
          <h1>
            {onMore
              ? `The newest ${amountOf(calls.length, 'model call')}`
              : amountOf(calls.length, 'model call')}
            {failed > 0 && `, ${count(failed)} not completed`}
          </h1>
          {readAhead && <p>{aheadText(readAhead)}</p>}
        </header>
        <table className={`table one-line ${styles.table}`}>
          <thead>
            <tr>
              {columns.map(name => (
                <th key={name} scope="col" className={numbers.includes(name) ? styles.number : undefined}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {calls.map(call => (
              <Row
                key={call.id}
                {...{ call, isChosen: call === chosen, duration: durations.get(call.id) }}
                onChoose={() => go({ call: call.id, turn: call.turn }, { push: true })}
              />
            ))}
          </tbody>
        </table>
        {onMore && (
          <p className="padded">
            <Button onClick={onMore}>Show more</Button>
          </p>
        )}
      </div>
      {chosen && (
        <CallPanel
          key={chosen.id}
          call={chosen}
          duration={durations.get(chosen.id)}
          onClose={() => go({ call: undefined, turn: undefined })}
        />
      )}
    </div>
  )
}

const numbers = ['Tokens predicted', 'Tokens reported', 'Tokens from cache', 'Took']
const columns = ['Status', 'Turn', 'Model', ...numbers, 'Time']

/** How the next prompt was last read ahead. */
function aheadText({ outcome, tokens, time }: NonNullable<Calls['readAhead']>): string {
  if (outcome === 'read') return `Read ahead at ${dayTime(time)}: ${amountOf(tokens, 'token')}`
  return `Reading ahead ${outcome === 'failed' ? 'failed' : 'was cut short'} at ${dayTime(time)}`
}

interface RowProps {
  readonly call: ListedCall
  readonly isChosen: boolean
  readonly duration: number | undefined
  readonly onChoose: () => void
}

function Row({ call, isChosen, duration, onChoose }: RowProps) {
  const { status, turn, model, predicted, reported, cached, cacheLost, time, error } = call
  const row = useRef<HTMLTableRowElement>(null)
  useEffect(() => {
    if (isChosen) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isChosen])
  return (
    <tr ref={row} className={styles.row} data-chosen={isChosen} data-status={status} onClick={onChoose}>
      <td>
        <button type="button" className={styles.open} aria-pressed={isChosen}>
          <span className="grid" aria-hidden="true">
            <StatusMark status={mark[status]} />
          </span>
          <span>
            {status}
            {error !== undefined && `: ${error}`}
          </span>
        </button>
      </td>
      <td>{turn}</td>
      <td className={`ellipsis ${styles.model}`} title={model}>
        {model}
      </td>
      <td className={styles.number}>{count(predicted)}</td>
      <td className={styles.number}>{reported === undefined ? '–' : count(reported)}</td>
      <td className={styles.number} data-lost={cacheLost !== undefined}>
        <Explained by={cacheLost}>{cached === undefined ? '–' : count(cached)}</Explained>
      </td>
      <td className={styles.number}>{duration === undefined ? '–' : shownDuration(duration)}</td>
      <td>{dayTime(time)}</td>
    </tr>
  )
}
