import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ExperimentAnswer } from '../../api/experiment-queries.ts'
import { logQuery, threadsQuery } from '../../api/queries.ts'
import { useExperimentPlace } from '../../parts/address.ts'
import { CodeText } from '../../parts/code-text.tsx'
import { amountOf, count, percent } from '../../parts/format.ts'
import { Gauge } from '../../parts/gauge.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { type AnyMessage, messageText } from '../../parts/message-text.ts'
import { QueryState } from '../../parts/query-state.tsx'
import { fullnessOf, largestCall } from './describe-act.ts'
import styles from './threads-view.module.css'
import { useActs } from './use-acts.ts'

/** The most messages of a role that are shown, the newest ones: its thread has all of them. */
const mostMessages = 300

/** The memory of each role: what it holds, how full its window is, and its history. */
export function ThreadsView({ shown: { id, roles, steps, maxSteps } }: { readonly shown: ExperimentAnswer }) {
  const { search, go } = useExperimentPlace()
  const { data } = useQuery(threadsQuery(id))
  const headOf = (name: string) => data?.threads.find(({ actor }) => actor === name)?.head
  const open = Math.min(steps + 1, maxSteps)
  const acts = useActs(id, steps, [Math.max(1, steps), open])
  const role = search.role !== undefined && roles.includes(search.role) ? search.role : (roles[0] ?? '')
  return (
    <div className={`grid fill low ${styles.threads}`}>
      <ul className={`scrolls-down line-right ${styles.roles}`} aria-label="Roles">
        {roles.map(name => {
          const act = acts.get(open)?.get(name) ?? acts.get(steps)?.get(name)
          const tokens = act && largestCall(act)
          const head = headOf(name)
          return (
            <li key={name}>
              <button
                type="button"
                className={`inset grid gap-1 wide padded line-below hovers ${styles.role}`}
                aria-pressed={name === role}
                onClick={() => go({ role: name })}
              >
                <span className="cut subheading">{name}</span>
                <span className={`ellipsis muted text-11 ${styles.about}`}>
                  {head !== undefined ? amountOf(head, 'message') : data ? 'no messages yet' : 'being read …'}
                  {act?.calls.at(-1) && ` · ${act.calls.at(-1)!.model}`}
                </span>
                {tokens && act && (
                  <>
                    <Gauge
                      value={Math.round(100 * fullnessOf(act))}
                      most={100}
                      label={`How full the window of ${name} is`}
                    />
                    <span className={`ellipsis muted text-11 ${styles.about}`}>
                      {count(tokens.predicted)} tokens, {percent(fullnessOf(act))} of what may be sent
                    </span>
                  </>
                )}
              </button>
            </li>
          )
        })}
      </ul>
      <History experiment={id} role={role} head={headOf(role) ?? 0} />
    </div>
  )
}

interface HistoryProps {
  readonly experiment: string
  readonly role: string
  readonly head: number
}

function History({ experiment, role, head }: HistoryProps) {
  const place = { conversation: experiment, actor: role }
  const query = useQuery({ ...logQuery(place, { at: head, limit: mostMessages }), enabled: head > 0 })
  return (
    <section className="slim scrolls-down" aria-label={`History of ${role}`}>
      <header className="sticky flex baseline gap-4 padded line-below">
        <h2 className="cut heading" title={role}>
          {role}
        </h2>
        <nav className="flex gap-3 rigid pushed links" aria-label={`Views of the thread of ${role}`}>
          {(['context', 'over-time', 'calls', 'dump'] as const).map(view => (
            <Link
              key={view}
              to={`/c/$conversation/${view}`}
              params={{ conversation: experiment }}
              search={{ actor: role }}
            >
              {names[view]}
            </Link>
          ))}
        </nav>
      </header>
      {head === 0 ? (
        <p className="padded muted links">It has no messages yet.</p>
      ) : (
        <QueryState query={query}>
          {({ entries }) => (
            <>
              {head > entries.length && (
                <p className="padded muted links">
                  The newest {amountOf(entries.length, 'message')} of {count(head)}.{' '}
                  <Link
                    to="/c/$conversation/context"
                    params={{ conversation: experiment }}
                    search={{ actor: role, entry: 1 }}
                  >
                    All of them
                  </Link>
                </p>
              )}
              <ol>
                {entries.map(({ seq, turn, message, isError }, at) => {
                  const isFirst = entries[at - 1]?.turn !== turn
                  return (
                    <li key={seq} className={styles.message} data-first={isFirst && at > 0}>
                      <Link
                        to="/c/$conversation/context"
                        params={{ conversation: experiment }}
                        search={{ actor: role, entry: seq }}
                        className={`muted to-right ${styles.seq}`}
                        aria-label={`Entry ${seq} in the context`}
                      >
                        {seq}
                      </Link>
                      <span className={`clipped muted ${styles.who}`}>{message.role}</span>
                      <div className={`slim soft ${styles.text}`} data-error={isError === true}>
                        <LongText>
                          <CodeText
                            text={messageText(message as AnyMessage) || '–'}
                            isCode={message.role === 'tool'}
                          />
                        </LongText>
                      </div>
                    </li>
                  )
                })}
              </ol>
            </>
          )}
        </QueryState>
      )}
    </section>
  )
}

const names = { context: 'Context', 'over-time': 'Over time', calls: 'Calls', dump: 'Dump' } as const
