import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { callDumpQuery, dumpQuery } from '../../api/queries.ts'
import { timelineQuery } from '../../api/timeline.ts'
import { usePlace } from '../../parts/address.ts'
import { BigText } from '../../parts/big-text.tsx'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { download, toFileName } from '../../parts/download.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { FindField } from '../../parts/find-field.tsx'
import { amountOf, count } from '../../parts/format.ts'
import { QueryState } from '../../parts/query-state.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { findPoint } from '../../parts/stops.ts'
import { useFindIn } from '../../parts/use-find-in.ts'
import { ViewLink } from '../../parts/view-link.tsx'
import styles from './dump-view.module.css'

/** The context as plain text: everything that the model gets, and nothing else. Now, or in the turn or call of the address. */
export function DumpView() {
  const { thread, search, go } = usePlace()
  const { turn, call } = search
  const isNow = turn === undefined && call === undefined
  const timeline = useQuery({ ...timelineQuery(thread), enabled: !isNow })
  const point = isNow ? undefined : findPoint(timeline.data?.points ?? [], { turn, call })
  const stored = point?.call
  const isKnown = isNow || point !== undefined
  const made = useQuery({
    ...dumpQuery(thread, point ? { at: point.at } : {}),
    enabled: isKnown && stored === undefined,
  })
  const sent = useQuery({ ...callDumpQuery(thread, stored ?? ''), enabled: stored !== undefined })
  if (!isKnown && timeline.data?.isWhole)
    return (
      <EmptyState
        title={call === undefined ? `There is no turn ${turn}` : 'There is no such call'}
        action={
          <Button onClick={() => go({ turn: undefined, call: undefined })}>Show what is sent now</Button>
        }
      />
    )
  if (!isKnown && !timeline.error) return <Skeleton />
  const query = !isKnown ? { ...made, error: timeline.error } : stored === undefined ? made : sent
  const when = isNow ? 'now' : `in turn ${point?.turn ?? turn}`
  return (
    <QueryState query={query as typeof made}>
      {text => <Shown text={text} when={when} isStored={stored !== undefined} isNow={isNow} />}
    </QueryState>
  )
}

interface ShownProps {
  readonly text: string
  readonly when: string
  /** Whether it was really sent: a call is stored. */
  readonly isStored: boolean
  readonly isNow: boolean
}

function Shown({ text, when, isStored, isNow }: ShownProps) {
  const { conversation, search, go } = usePlace()
  const word = search.q ?? ''
  const { places, index, current, move, restart } = useFindIn(text, word)
  const name = toFileName(`${conversation}-${when}`.replaceAll(' ', '-'))
  return (
    <div className={`view ${styles.view}`}>
      <header className={`row wraps padded line-below ${styles.head}`}>
        <div className={`linked ${styles.titles}`}>
          <h1>{isStored ? `All that the model got ${when}` : `All that the model gets ${when}`}</h1>
          <p className="muted text-12-18">
            {amountOf(text.split('\n').length - 1, 'line')}, {count(text.length)} characters.{' '}
            {isStored
              ? 'As it was sent.'
              : isNow
                ? 'Made now, with the settings of the last call; no model was asked.'
                : 'No call is stored here: made now, with the settings of the last call.'}{' '}
            {!isNow && (
              <ViewLink view="dump" search={{ ...search, turn: undefined, call: undefined }}>
                Show what is sent now
              </ViewLink>
            )}
          </p>
        </div>
        <FindField
          word={word}
          matches={places.length}
          index={index}
          onChange={next => {
            restart()
            go({ q: next === '' ? undefined : next })
          }}
          onMove={move}
        />
        <span className="flex">
          <CopyButton text={text} />
          <Button
            kind="plain"
            onClick={() => download(new Blob([text], { type: 'text/plain;charset=utf-8' }), `${name}.txt`)}
          >
            <Download size={14} aria-hidden /> Download
          </Button>
        </span>
      </header>
      <BigText text={text} label="Dump" places={places} length={word.length} current={current} />
    </div>
  )
}
