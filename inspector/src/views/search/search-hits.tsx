import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useImperativeHandle } from 'react'
import { groupBy } from '../../../../src/log/group-by.ts'
import { conversationQuery } from '../../api/queries.ts'
import { keyOfHit, placeOfHit, type SearchHit, viewAt } from '../../parts/address.ts'
import { ago, amountOf, fullTime } from '../../parts/format.ts'
import { Marked } from '../../parts/marked.tsx'
import { titleOf } from '../../parts/title-of.ts'
import { useRoving } from '../../parts/use-roving.ts'
import styles from './search-hits.module.css'

interface SearchHitsProps {
  readonly matches: readonly SearchHit[]
  readonly ref: React.Ref<{ focus: () => void }>
}

/** The matches by conversation, the one with the best match first. */
export function SearchHits({ matches, ref }: SearchHitsProps) {
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
                <span className={styles.role} data-role={hit.role}>
                  {roles[hit.role] ?? hit.role}
                </span>
                <span className={`soft breaks ${styles.text}`} dir="auto">
                  <Marked text={hit.snippet} places={hit.hits} />
                </span>
                <span className={`flex gap-3 one-line ${styles.more}`}>
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

function Heading({ conversation, amount }: { readonly conversation: string; readonly amount: number }) {
  const { data } = useQuery(conversationQuery(conversation))
  const title = titleOf(data ?? { conversation })
  return (
    <h2 className={`sticky flex baseline gap-3 subheading ${styles.heading}`}>
      <Link {...viewAt('context', conversation)} title={conversation} tabIndex={-1}>
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
