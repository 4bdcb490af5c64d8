import { useQuery } from '@tanstack/react-query'
import { GitBranch } from 'lucide-react'
import { useEffect, useMemo, useRef } from 'react'
import { type ShownMessage, shownAfterQuery } from '../../api/chat-queries.ts'
import { seenQuery, type ThreadAddress, usualBranch } from '../../api/queries.ts'
import { firstPointQuery, type PointPlace, type TimelinePoint } from '../../api/timeline.ts'
import { Button } from '../../parts/button.tsx'
import { type FateRun, fateAt, nameOfFate, readFates } from '../../parts/fates.ts'
import { amountOf, branchTitle, count, type ListedThread } from '../../parts/format.ts'
import { useKeys } from '../../parts/keys.ts'
import { messageText } from '../../parts/message-text.ts'
import { Skeleton } from '../../parts/query-state.tsx'
import { ViewLink } from '../../parts/view-link.tsx'
import styles from './branch-comparison.module.css'
import { sharedHead } from './branch-tree.ts'

interface ComparisonProps {
  readonly thread: ThreadAddress
  readonly branches: readonly ListedThread[]
  /** The branches that are compared: the one that is shown, and the one beside it. */
  readonly names: readonly [string, string]
  readonly mayInspect: boolean
  readonly onClose: () => void
}

/** Two branches side by side: what they share in a line, then only what differs. */
export function BranchComparison({
  thread,
  branches,
  names,
  mayInspect,
  onClose,
}: ComparisonProps) {
  const [shown, beside] = names
  const at = useMemo(() => sharedHead(branches, shown, beside), [branches, shown, beside])
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  useKeys('Compare branches', [{ keys: 'Escape', does: 'close the comparison', run: onClose }])
  const a = useBranch({ thread, at, name: shown, branches, mayInspect })
  const b = useBranch({ thread, at, name: beside, branches, mayInspect })
  const difference = a.runs && b.runs && sentBy(a.runs, b.runs, at)
  return (
    <section className={`grid slim low ${styles.comparison}`} aria-label="Two branches">
      <header className={`row gap-2 between line-below ${styles.head}`}>
        <h2 ref={heading} tabIndex={-1} className="slim light text-12-18">
          <GitBranch size={14} aria-hidden />{' '}
          <b className="bold">{at === 0 ? 'Nothing' : amountOf(at, 'message')} in common.</b>{' '}
          {difference && difference.ofA + difference.ofB > 0 && (
            <>
              Of {at === 1 ? 'it' : 'them'} A’s next call had {count(difference.ofA)} that B’s had
              not, and B’s {count(difference.ofB)} that A’s had not.
            </>
          )}
        </h2>
        <Button onClick={onClose}>Close</Button>
      </header>
      <div className={`grid scrolls low ${styles.sides}`}>
        <BranchSide letter="A" side={a} other={b} {...{ at, thread }} />
        <BranchSide letter="B" side={b} other={a} {...{ at, thread }} />
      </div>
    </section>
  )
}

type ComparedBranch = ReturnType<typeof useBranch>

interface BranchOptions extends Pick<ComparisonProps, 'thread' | 'branches' | 'mayInspect'> {
  readonly name: string
  /** The last message that both have. */
  readonly at: number
}

/** What a branch says behind what both have, and what its first call there was sent. */
function useBranch({ thread, at, name, branches, mayInspect }: BranchOptions) {
  const own = { ...thread, branch: name === usualBranch ? undefined : name }
  const listed = branches.find(({ branch }) => branch === name)
  const messages = useQuery(shownAfterQuery(own, at, listed?.head ?? at)).data
  const point =
    useQuery({ ...firstPointQuery(own, at), enabled: mayInspect && (listed?.head ?? 0) > at })
      .data ?? undefined
  const answer = messages?.find(({ role }) => role === 'assistant')
  const text = answer ? messageText(answer).slice(0, longestQuery) : ''
  const used = useAnswered(own, point, mayInspect ? text : '')
  const runs = useMemo(() => point && readFates(point.fates ?? ''), [point])
  return {
    listed,
    name,
    own,
    messages,
    point,
    runs,
    used: used && used.entry <= at ? used : undefined,
  }
}

const longestQuery = 2000

/** The message before the call that has most of the words of its answer. */
function useAnswered(thread: ThreadAddress, point: PointPlace, text = '') {
  const { data } = useQuery({
    ...seenQuery(thread, point ?? { at: 0 }, text),
    enabled: point !== undefined && text.trim() !== '',
  })
  return data?.match
}

interface SideProps {
  readonly letter: 'A' | 'B'
  readonly side: ComparedBranch
  readonly other: ComparedBranch
  readonly at: number
  readonly thread: ThreadAddress
}

function BranchSide({ letter, side, other, at, thread }: SideProps) {
  const { listed, name, messages, point } = side
  const more = Math.max(0, (listed?.head ?? at) - at - (messages?.length ?? 0))
  const search = { actor: thread.actor, branch: name === usualBranch ? undefined : name }
  return (
    <section className="slim" aria-label={`${letter}: ${listed ? branchTitle(listed) : name}`}>
      <h3 className={`row gap-2 subheading ${styles.name}`}>
        <span className={styles.letter} data-letter={letter} aria-hidden>
          {letter}
        </span>
        <span className="cut">{listed ? branchTitle(listed) : name}</span>
        {point && (
          <span className="muted text-11 rigid pushed">
            {point.window === undefined ? 'no window' : count(point.window)}, {point.policy}
          </span>
        )}
      </h3>
      {messages ? (
        messages.map(one => <ComparedMessage key={one.seq} message={one} />)
      ) : (
        <Skeleton />
      )}
      {messages?.length === 0 && <p className="muted">It says nothing more.</p>}
      {more > 0 && (
        <p className="muted text-12">{amountOf(more, 'message')} more on this branch.</p>
      )}
      {point && (
        <dl className={`facts text-12 ${styles.facts}`}>
          <div>
            <dt>sent</dt>
            <dd>
              {count(point.at - point.counts.omitted)} of {count(point.at)} ·{' '}
              {amountOf(point.tokens, 'token')}
              <Difference of={point} from={other.point} />
            </dd>
          </div>
          <Deciding {...{ side, other }} />
        </dl>
      )}
      <ViewLink
        view={point ? 'context' : 'chat'}
        className="accent text-12"
        search={point ? { ...search, turn: point.turn || undefined, call: point.call } : search}
      >
        {point ? 'Open its call in Context' : 'Open this branch'}
      </ViewLink>
    </section>
  )
}

function ComparedMessage({ message }: { readonly message: ShownMessage }) {
  const isUser = message.role === 'user'
  return (
    <div className={styles.message} data-role={message.role}>
      <span className="hidden">{isUser ? 'Question' : 'Answer'}: </span>
      <p className="written" dir="auto">
        {messageText(message)}
      </p>
    </div>
  )
}

/** How many tokens more, or less, than the other side was sent. */
function Difference({
  of,
  from,
}: {
  readonly of: TimelinePoint
  readonly from: TimelinePoint | undefined
}) {
  const by = from ? of.tokens - from.tokens : 0
  return by > 0 ? <span className="muted"> +{count(by)}</span> : null
}

/** The messages that the answers have their words from, and what became of each on this side. */
function Deciding({ side, other }: Pick<SideProps, 'side' | 'other'>) {
  const entries = [...new Set([side.used?.entry, other.used?.entry])].filter(
    one => one !== undefined,
  )
  return entries.map(entry => {
    const fate = side.runs && fateAt(side.runs, entry)
    if (!fate) return null
    return (
      <div key={entry}>
        <dt>#{entry}</dt>
        <dd className="fate-text" data-fate={fate}>
          {nameOfFate(fate)}
          {side.used?.entry === entry && '; the answer has its words'}
        </dd>
      </div>
    )
  })
}

/** How many of the shared messages only one of two calls was sent. */
function sentBy(a: readonly FateRun[], b: readonly FateRun[], at: number) {
  let [ofA, ofB] = [0, 0]
  for (let seq = 1; seq <= at; seq++) {
    const [inA, inB] = [isSent(a, seq), isSent(b, seq)]
    if (inA && !inB) ofA++
    if (inB && !inA) ofB++
  }
  return { ofA, ofB }
}

const isSent = (runs: readonly FateRun[], seq: number) => {
  const fate = fateAt(runs, seq)
  return fate !== undefined && fate !== 'omitted'
}
