import { useQuery } from '@tanstack/react-query'
import { EyeOff } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { AnswerOf } from '../../api/client.ts'
import { notesQuery, outlineQuery, stateQuery, turnsQuery } from '../../api/queries.ts'
import { threadSearch, usePlace } from '../../parts/address.ts'
import { Button } from '../../parts/button.tsx'
import { amountOf, count, dayTime } from '../../parts/format.ts'
import { JsonTree } from '../../parts/json-tree.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { EmptyState, QueryState } from '../../parts/query-state.tsx'
import { ViewLink } from '../../parts/view-link.tsx'
import { ToolTable } from './tool-table.tsx'
import styles from './tools-view.module.css'

type StateAnswer = AnswerOf<'get /conversations/:conversation/state'>
type Note = AnswerOf<'get /conversations/:conversation/notes'>['notes'][number]

/** The most notes that are read, the newest ones. */
const mostNotes = 1000

/** What tools returned and what the model wrote to itself: now, or the values as they were after the turn of the address. */
export function ToolsView() {
  const { thread, search } = usePlace()
  const { turn } = search
  const turns = useQuery({ ...turnsQuery(thread), enabled: turn !== undefined })
  const at = turn === undefined ? undefined : turns.data?.turns.find(one => one.turn === turn)?.last
  const isKnown = turn === undefined || turns.data !== undefined
  const state = useQuery({ ...stateQuery(thread, at), enabled: isKnown })
  const notes = useQuery(notesQuery(thread, mostNotes))
  const { data: outline = [] } = useQuery(outlineQuery(thread))
  const hasCalls = outline.some(({ calls }) => calls !== undefined)
  return (
    <QueryState query={state}>
      {answer => (
        <QueryState query={notes}>
          {({ notes }) =>
            answer.states.length + notes.length === 0 && !hasCalls ? (
              <EmptyState title="No tool results and no notes yet">
                Here you see the newest result of each tool, and what the model noted for itself.
              </EmptyState>
            ) : (
              <div className="page grid single">
                <h1 className="hidden">Tools and notes</h1>
                {hasCalls && <ToolTable entries={outline} />}
                {answer.states.length > 0 && <Values {...answer} turn={at && turn} />}
                {notes.length > 0 && <Notes notes={notes.toReversed()} />}
              </div>
            )
          }
        </QueryState>
      )}
    </QueryState>
  )
}

/** The values that are read from tool results. */
function Values({
  states,
  from,
  entries,
  turn,
}: StateAnswer & { readonly turn: number | undefined }) {
  const { go } = usePlace()
  const isConfigured = states.some(one => one.isConfigured)
  const skipped = states.reduce((sum, one) => sum + one.skipped.length, 0)
  return (
    <section>
      <h2 className={styles.title}>
        {isConfigured
          ? amountOf(states.length, 'value')
          : `The newest results of ${amountOf(states.length, 'tool')}`}
        {turn !== undefined && ` after turn ${turn}`}
        {skipped > 0 && `, ${amountOf(skipped, 'result')} skipped`}
      </h2>
      <p className="muted">
        Read from the log.
        {!isConfigured &&
          ' To read values of your own here, start the server with --states name=tool.'}
        {from > 1 && ` Looked at from entry ${count(from)} to ${count(entries)}.`}
      </p>
      {turn !== undefined && (
        <Button className={styles.now ?? ''} onClick={() => go({ turn: undefined })}>
          Show them as they are now
        </Button>
      )}
      <ul className="list">
        {states.map(one => (
          <Value key={one.name} {...one} />
        ))}
      </ul>
    </section>
  )
}

function Value(reading: StateAnswer['states'][number]) {
  const { name, tools, isConfigured, value, preview, entry, skipped } = reading
  const { search } = usePlace()
  return (
    <li className="box links" data-chosen={entry !== undefined && entry.seq === search.entry}>
      <div className={`flex baseline gap-3 slim ${styles.about}`}>
        <h3 className="cut subheading" title={name}>
          {name}
        </h3>
        {isConfigured && <span className="cut muted text-12">from {tools.join(', ')}</span>}
        {entry && <EntryLink seq={entry.seq} />}
      </div>
      {preview === undefined && value === undefined ? (
        <i className="muted">no value yet</i>
      ) : (
        <LongText>
          <JsonTree value={preview ?? value} />
          {preview !== undefined && (
            <i className="muted"> This is only its beginning: the entry has it whole.</i>
          )}
        </LongText>
      )}
      {skipped.length > 0 && (
        <ul
          className={`danger text-12 ${styles.skipped}`}
          aria-label={`Skipped results of ${name}`}
        >
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

/** What the model wrote to itself, the newest first. */
function Notes({ notes }: { readonly notes: readonly Note[] }) {
  const { search } = usePlace()
  const chosen = useRef<HTMLLIElement>(null)
  // An address that names an entry or a turn leads to its note.
  useEffect(() => chosen.current?.scrollIntoView({ block: 'center' }), [])
  const isChosen = ({ seq, turn }: Note) =>
    search.entry === undefined ? search.turn === turn : search.entry === seq
  const first = notes.find(isChosen)
  return (
    <section>
      <h2 className={styles.title}>
        {notes.length === mostNotes && 'The newest '}
        {amountOf(notes.length, 'note')} that the model wrote to itself
      </h2>
      <p className="row gap-6px muted">
        <EyeOff size={14} aria-hidden /> Users never see them: they are sent to the model, and shown
        only here.
      </p>
      <ol className="list">
        {notes.map(note => (
          <li
            key={note.seq}
            ref={note === first ? chosen : undefined}
            className={`box links ${styles.note}`}
            data-chosen={isChosen(note)}
          >
            <div className={`flex gap-3 muted text-12-18 ${styles.about}`}>
              <ViewLink view="context" search={{ ...threadSearch(search), turn: note.turn }}>
                Turn {note.turn}
              </ViewLink>
              <span>{dayTime(note.time)}</span>
              <EntryLink seq={note.seq} />
            </div>
            <LongText>{note.text}</LongText>
          </li>
        ))}
      </ol>
    </section>
  )
}

function EntryLink({ seq }: { readonly seq: number }) {
  const { search } = usePlace()
  return (
    <ViewLink
      view="context"
      className="rigid pushed link-text"
      search={{ ...threadSearch(search), entry: seq }}
    >
      Entry {seq}
    </ViewLink>
  )
}
