import { useQuery } from '@tanstack/react-query'
import { Braces } from 'lucide-react'
import { stateQuery, turnsQuery } from '../../api/queries.ts'
import type { AnswerOf } from '../../api/routes.ts'
import { threadSearch, usePlace } from '../../parts/address.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { amountOf, count } from '../../parts/format.ts'
import { JsonText } from '../../parts/json-text.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { ViewLink } from '../../parts/view-link.tsx'
import styles from './state-view.module.css'

type StateAnswer = AnswerOf<'get /conversations/:conversation/state'>
type VariableReading = StateAnswer['states'][number]

/** Typed values that are read from tool results: now, or as they were after the turn of the address. */
export function StateView() {
  const { thread, search } = usePlace()
  const { turn } = search
  const turns = useQuery({ ...turnsQuery(thread), enabled: turn !== undefined })
  const at = turn === undefined ? undefined : turns.data?.turns.find(one => one.turn === turn)?.last
  const isKnown = turn === undefined || turns.data !== undefined
  const query = useQuery({ ...stateQuery(thread, at), enabled: isKnown })
  return (
    <QueryState query={query}>
      {answer => <Shown answer={answer} turn={at === undefined ? undefined : turn} />}
    </QueryState>
  )
}

interface ShownProps {
  readonly answer: StateAnswer
  readonly turn: number | undefined
}

function Shown({ answer: { states, from, entries }, turn }: ShownProps) {
  const { go } = usePlace()
  if (states.length === 0)
    return (
      <EmptyState icon={<Braces size={24} aria-hidden />} title="No tool has returned a result yet">
        A state is a value that is read from the results of a tool: the newest usable one. Name states with
        the setting states, as name=tool; until then, the newest result of each tool is shown here.
      </EmptyState>
    )
  const isConfigured = states.some(one => one.isConfigured)
  const skipped = states.reduce((sum, one) => sum + one.skipped.length, 0)
  const what = isConfigured
    ? amountOf(states.length, 'state')
    : `The newest results of ${amountOf(states.length, 'tool')}`
  return (
    <div className="page">
      <header className={`grid gap-2 ${styles.head}`}>
        <h1>
          {what}
          {turn !== undefined && ` after turn ${turn}`}
          {skipped > 0 && `, ${amountOf(skipped, 'result')} skipped`}
        </h1>
        <p className="muted">
          Read from the log, never from what was sent.
          {!isConfigured &&
            ' To see typed values of your own here, start the server with --states name=tool.'}
          {from > 1 && ` Looked at from entry ${count(from)} to ${count(entries)}.`}
        </p>
        {turn !== undefined && (
          <Button onClick={() => go({ turn: undefined })}>Show them as they are now</Button>
        )}
      </header>
      <ul className="list">
        {states.map(one => (
          <State key={one.name} reading={one} />
        ))}
      </ul>
    </div>
  )
}

function State({ reading }: { readonly reading: VariableReading }) {
  const { name, tools, isConfigured, value, preview, entry, skipped } = reading
  const { search } = usePlace()
  const isChosen = entry !== undefined && entry.seq === search.entry
  return (
    <li className={`box links ${styles.state}`} data-chosen={isChosen}>
      <div className={`flex baseline gap-3 slim ${styles.about}`}>
        <h2 className="cut subheading" title={name}>
          {name}
        </h2>
        {isConfigured && <span className="cut muted text-12">from {tools.join(', ')}</span>}
        {entry && (
          <span className="rigid pushed">
            <EntryLink seq={entry.seq} />
          </span>
        )}
      </div>
      <LongText>
        {preview !== undefined ? (
          <>
            <JsonText text={preview} />{' '}
            <i className="muted">This is only its beginning: the entry has it whole.</i>
          </>
        ) : value === undefined ? (
          <i className="muted">no value yet</i>
        ) : typeof value === 'string' ? (
          value || <i className="muted">an empty text</i>
        ) : (
          <JsonText text={JSON.stringify(value)} />
        )}
      </LongText>
      {skipped.length > 0 && (
        <ul className={`danger text-12 ${styles.skipped}`} aria-label={`Skipped results of ${name}`}>
          {skipped.map(one => (
            <li key={one.seq}>
              <EntryLink seq={one.seq} /> skipped: {one.reason}{' '}
              <span className="soft breaks">{one.detail}</span>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

function EntryLink({ seq }: { readonly seq: number }) {
  const { search } = usePlace()
  return (
    <ViewLink view="context" search={{ ...threadSearch(search), entry: seq }}>
      Entry {seq}
    </ViewLink>
  )
}
