import { useQuery } from '@tanstack/react-query'
import { EyeOff } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { notesQuery } from '../../api/queries.ts'
import type { AnswerOf } from '../../api/routes.ts'
import { threadSearch, usePlace } from '../../parts/address.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { amountOf, dayTime } from '../../parts/format.ts'
import { LongText } from '../../parts/long-text.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { ViewLink } from '../../parts/view-link.tsx'
import styles from './notes-view.module.css'

type Notes = AnswerOf<'get /conversations/:conversation/notes'>['notes']

/** The most notes that are read, the newest ones. */
const mostNotes = 1000

/** What the model wrote to itself, the newest last. */
export function NotesView() {
  const { thread } = usePlace()
  const query = useQuery(notesQuery(thread, mostNotes))
  return (
    <QueryState query={query}>
      {({ notes }) =>
        notes.length === 0 ? (
          <EmptyState
            icon={<EyeOff size={24} aria-hidden />}
            title="The model has written no notes to itself"
          >
            With notes switched on, a model may end a turn with a few words that only it reads later. Users
            never see them.
          </EmptyState>
        ) : (
          <List notes={notes} />
        )
      }
    </QueryState>
  )
}

function List({ notes }: { readonly notes: Notes }) {
  const { search } = usePlace()
  const end = useRef<HTMLDivElement>(null)
  const chosen = useRef<HTMLLIElement>(null)
  // The newest is at the end, as in the conversation; an address that names an entry or a turn leads there.
  useEffect(() => {
    if (chosen.current) chosen.current.scrollIntoView({ block: 'center' })
    else end.current?.scrollIntoView()
  }, [])
  const isChosen = ({ seq, turn }: Notes[number]) =>
    search.entry === undefined ? search.turn === turn : search.entry === seq
  const first = notes.find(isChosen)
  const thread = threadSearch(search)
  return (
    <div className="page">
      <header className={styles.head}>
        <h1>
          {notes.length === mostNotes
            ? `The newest ${amountOf(mostNotes, 'note')}`
            : amountOf(notes.length, 'note')}{' '}
          that the model wrote to itself
        </h1>
        <p>
          <EyeOff size={14} aria-hidden /> Users never see them: they are sent to the model, and shown only
          here.
        </p>
      </header>
      <ol className="list">
        {notes.map(note => {
          const { seq, turn, time, text } = note
          return (
            <li
              key={seq}
              ref={note === first ? chosen : undefined}
              className={`box ${styles.note}`}
              data-chosen={isChosen(note)}
            >
              <div className={`flex gap-3 muted text-12-18 links ${styles.about}`}>
                <ViewLink view="context" search={{ ...thread, turn }}>
                  Turn {turn}
                </ViewLink>
                <span>{dayTime(time)}</span>
                <ViewLink view="context" search={{ ...thread, entry: seq }} className="pushed">
                  Entry {seq}
                </ViewLink>
              </div>
              <LongText>{text}</LongText>
            </li>
          )
        })}
      </ol>
      <div ref={end} />
    </div>
  )
}
