import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { searchQuery, serverQuery } from '../../api/queries.ts'
import { type ListSearch, useGo } from '../../parts/address.ts'
import { Button } from '../../parts/button.tsx'
import { amountOf } from '../../parts/format.ts'
import { QueryState, Skeleton } from '../../parts/query-state.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { SearchHits } from './search-hits.tsx'
import styles from './search-view.module.css'

/** Messages of all conversations, found by their words. What is looked for stands in the address. */
export function SearchView() {
  const { q = '', show } = useSearch({ strict: false }) as ListSearch
  const { data: server } = useQuery(serverQuery)
  const mayInspect = server?.scopes.includes('inspect') ?? false
  const isEverything = show === 'everything' && mayInspect
  const go = useGo<ListSearch>()
  const query = useQuery(searchQuery(q, isEverything))
  const hits = useRef<{ focus: () => void }>(null)
  useTitle(q === '' ? 'Search' : `${q} · Search`)
  return (
    <div className={`view ${styles.view}`}>
      <header className={`grid middle line-below ${styles.head}`}>
        <WordsField
          q={q}
          onLook={next => go({ q: next || undefined })}
          onDown={() => hits.current?.focus()}
        />
        {mayInspect && (
          <label className={`inline gap-2 soft text-12 one-line ${styles.switch}`}>
            <input
              type="checkbox"
              checked={isEverything}
              onChange={event => go({ show: event.target.checked ? 'everything' : undefined })}
            />
            also notes and other text that users never see
          </label>
        )}
        <h1>
          {q !== '' && query.data && !query.isPlaceholderData
            ? headingOf(query.data)
            : 'Search in every message'}
        </h1>
      </header>
      <div className={styles.found}>
        {q.trim() === '' ? (
          <NothingFound q="" />
        ) : (
          <QueryState query={query} loading={<Skeleton rows={6} />}>
            {({ found }) =>
              found.length > 0 ? (
                <SearchHits matches={found} ref={hits} />
              ) : (
                <NothingFound
                  q={q.trim()}
                  onEverything={mayInspect && !isEverything ? () => go({ show: 'everything' }) : undefined}
                />
              )
            }
          </QueryState>
        )}
      </div>
    </div>
  )
}

const most = 200

function headingOf({ found }: { readonly found: readonly { readonly conversation: string }[] }): string {
  if (found.length === 0) return 'Nothing found'
  const conversations = new Set(found.map(({ conversation }) => conversation)).size
  if (found.length >= most) return `The best ${most} messages`
  return `${amountOf(found.length, 'message')} in ${amountOf(conversations, 'conversation')}`
}

/**
 * How search works: before anything was searched for, and where nothing has any of the words. `onEverything` looks also where no
 * user does; absent if that was done, or may not be done.
 */
function NothingFound({ q, onEverything }: { readonly q: string; readonly onEverything?: () => void }) {
  return (
    <section className={styles.how} role={q === '' ? undefined : 'status'}>
      {q === '' ? (
        <h2>How search works</h2>
      ) : (
        <h2>
          No message has {/\s/.test(q) ? 'any of these words' : 'this word'}: <q>{q}</q>
        </h2>
      )}
      {onEverything && (
        <p className={`row wraps gap-6px muted ${styles.words}`}>
          <Button onClick={onEverything}>Look also in notes and other text that users never see</Button>
        </p>
      )}
      <ul>
        <li>
          A message is found if it has <b>one of the words</b>, in any conversation. Those with the most and
          the rarest words come first.
        </li>
        <li>Small and capital letters are the same, and so are letters with and without accents.</li>
        <li>Other forms of a word are found too: “toad” finds “toads”. A part of a word is not enough.</li>
        <li>In Chinese, Japanese or Thai, write as much of a sentence as you know.</li>
      </ul>
    </section>
  )
}

interface WordsFieldProps {
  readonly q: string
  readonly onLook: (q: string) => void
  /** Moves the focus to the results. */
  readonly onDown: () => void
}

/** The search field. It searches when typing pauses, and at once on Enter. */
function WordsField({ q, onLook, onDown }: WordsFieldProps) {
  const [typed, setTyped] = useState(q)
  /** Queries that are not in the address yet; the latest one stays. */
  const pendingQueries = useRef([q])
  // The address changed without typing: by "back", or by a picked word. A late address does not overwrite typed words.
  useEffect(() => {
    const at = pendingQueries.current.indexOf(q)
    if (at < 0) setTyped(q)
    pendingQueries.current = at < 0 ? [q] : pendingQueries.current.slice(at)
  }, [q])
  const look = (text: string) => {
    pendingQueries.current.push(text)
    onLook(text)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing asks
  useEffect(() => {
    if (typed === pendingQueries.current.at(-1)) return
    const timer = setTimeout(() => look(typed), 250)
    return () => clearTimeout(timer)
  }, [typed])
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === 'Enter') look(typed)
    else if (event.key === 'ArrowDown') onDown()
    else if (event.key === 'Escape' && typed !== '') {
      setTyped('')
      look('')
    } else return
    event.preventDefault()
  }
  return (
    <SearchField
      group="Search"
      does="look for something else"
      aria-label="Words to look for"
      placeholder="Words of a message"
      value={typed}
      autoFocus
      onChange={event => setTyped(event.target.value)}
      onKeyDown={onKeyDown}
    />
  )
}
