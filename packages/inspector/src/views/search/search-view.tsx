import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { groupBy } from '@throughline/core/values'
import { useEffect, useImperativeHandle, useRef, useState } from 'react'
import { conversationQuery, searchQuery, serverQuery } from '../../api/queries.ts'
import {
  keyOfHit,
  type ListSearch,
  placeOfHit,
  type SearchHit,
  useGo,
  viewAt,
} from '../../parts/address.ts'
import { Button } from '../../parts/button.tsx'
import { ago, amountOf, fullTime, titleOf } from '../../parts/format.ts'
import { Marked } from '../../parts/marked.tsx'
import { QueryState, Skeleton } from '../../parts/query-state.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { useRoving } from '../../parts/use-roving.ts'
import { useTitle } from '../../parts/use-title.ts'
import styles from './search-view.module.css'

/** Messages of all conversations, found by their words. What is looked for stands in the address. */
export function SearchView() {
  const { q = '', show } = useSearch({ strict: false }) as ListSearch
  const { data: server } = useQuery(serverQuery)
  const mayInspect = server?.scopes.includes('inspect') ?? false
  const isEverything = show === 'everything' && mayInspect
  const go = useGo<ListSearch>()
  const query = useQuery(searchQuery(q, isEverything))
  const hits = useRef<Pick<HTMLElement, 'focus'>>(null)
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
            ? headingOf(query.data.found)
            : 'Search in every message'}
        </h1>
      </header>
      <div className={`scrolls ${styles.found}`}>
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
                  onEverything={
                    mayInspect && !isEverything ? () => go({ show: 'everything' }) : undefined
                  }
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

function headingOf(found: readonly SearchHit[]): string {
  if (found.length === 0) return 'Nothing found'
  const conversations = new Set(found.map(({ conversation }) => conversation)).size
  if (found.length >= most) return `The best ${most} messages`
  return `${amountOf(found.length, 'message')} in ${amountOf(conversations, 'conversation')}`
}

/** How search works. `onEverything` looks also where no user does; absent if that was done, or may not be. */
function NothingFound({
  q,
  onEverything,
}: {
  readonly q: string
  readonly onEverything?: () => void
}) {
  return (
    <section className={styles.how} role={q === '' ? undefined : 'status'}>
      {q === '' ? (
        <h2 className="heading">How search works</h2>
      ) : (
        <h2 className="heading breaks">
          No message has {/\s/.test(q) ? 'any of these words' : 'this word'}: <q>{q}</q>
        </h2>
      )}
      {onEverything && (
        <p className={`row wraps gap-6px muted ${styles.words}`}>
          <Button className="ellipsis in-width" onClick={onEverything}>
            Look also in notes and other text that users never see
          </Button>
        </p>
      )}
      <ul className="grid gap-6px soft">
        <li>
          A message is found if it has <b>one of the words</b>, in any conversation. Those with the
          most and the rarest words come first.
        </li>
        <li>
          Small and capital letters are the same, and so are letters with and without accents.
        </li>
        <li>
          Other forms of a word are found too: “toad” finds “toads”. A part of a word is not enough.
        </li>
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

interface SearchHitsProps {
  readonly matches: readonly SearchHit[]
  readonly ref: React.Ref<Pick<HTMLElement, 'focus'>>
}

/** The matches by conversation, the one with the best match first. */
function SearchHits({ matches, ref }: SearchHitsProps) {
  const groups = [...groupBy(matches, hit => hit.conversation)]
  const roving = useRoving({
    items: groups.flatMap(([, hits]) => hits.map(keyOfHit)),
    name: 'What was found',
    item: 'message',
  })
  useImperativeHandle(ref, () => ({ focus: () => roving.focus() }))
  return groups.map(([conversation, hits]) => (
    <section key={conversation} className={styles.group}>
      <Heading conversation={conversation} amount={hits.length} />
      <ol>
        {hits.map(hit => {
          const key = keyOfHit(hit)
          return (
            <li key={key}>
              <Link
                ref={roving.ref(key)}
                {...viewAt('context', conversation, placeOfHit(hit))}
                className={`grid baseline gap-3 hovers ${styles.hit}`}
                tabIndex={roving.active === key ? 0 : -1}
                onFocus={() => roving.setActive(key)}
              >
                <span className={`muted text-11 ${styles.role}`} data-role={hit.role}>
                  {roles[hit.role] ?? hit.role}
                </span>
                <span className={`soft breaks ${styles.text}`} dir="auto">
                  <Marked text={hit.snippet} places={hit.hits} />
                </span>
                <span className={`flex gap-3 muted text-11 one-line ${styles.more}`}>
                  <span className={`ellipsis ${styles.place}`}>
                    {lineOf(hit)}#{hit.seq}
                  </span>
                  <time dateTime={new Date(hit.time).toISOString()} title={fullTime(hit.time)}>
                    {ago(hit.time)}
                  </time>
                </span>
              </Link>
            </li>
          )
        })}
      </ol>
    </section>
  ))
}

function Heading({
  conversation,
  amount,
}: {
  readonly conversation: string
  readonly amount: number
}) {
  const { data } = useQuery(conversationQuery(conversation))
  const title = titleOf(data ?? { conversation })
  return (
    <h2 className={`sticky flex baseline gap-3 subheading ${styles.heading}`}>
      <Link
        {...viewAt('context', conversation)}
        className="cut slim"
        title={conversation}
        tabIndex={-1}
      >
        <bdi>{title}</bdi>
      </Link>
      <span className="rigid muted text-12">{amountOf(amount, 'message')}</span>
    </h2>
  )
}

const lineOf = ({ actor, branch }: SearchHit) =>
  [actor !== 'assistant' && actor, branch !== 'main' && branch]
    .filter(Boolean)
    .map(name => `${name} `)
    .join('')

const roles: Readonly<Record<string, string>> = {
  assistant: 'model',
  assistant_note: 'note',
}
