import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { outlineQuery, turnsQuery } from '../../api/queries.ts'
import { pointsQuery, timelineQuery } from '../../api/timeline.ts'
import { usePlace } from '../../parts/address.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { QueryFault } from '../../parts/query-state.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { findPoint } from '../../parts/stops.ts'
import { LoadedContext } from './loaded-context.tsx'

/** What of the log reached the model, in which order, and why: at any turn and any call. */
export function ContextView() {
  const place = usePlace()
  const { thread, search, go } = place
  const outline = useQuery(outlineQuery(thread))
  const turns = useQuery(turnsQuery(thread))
  const timeline = useQuery(timelineQuery(thread))
  const loadedPoint = useMemo(() => findPoint(timeline.data?.points ?? [], search), [timeline.data, search])
  // Turns that are not read yet are requested ten points at a time; the last point stays meanwhile.
  const list = turns.data?.turns ?? []
  const wantedAt = list.findIndex(({ turn }) => turn === search.turn)
  const since = list[wantedAt]?.first ?? 0
  useQuery({
    ...pointsQuery(thread, since),
    enabled: !loadedPoint && wantedAt >= 0 && timeline.data !== undefined && !timeline.data.isWhole,
  })
  const [kept, setKept] = useState(loadedPoint)
  if (loadedPoint && loadedPoint !== kept) setKept(loadedPoint)
  const point = loadedPoint ?? (wantedAt >= 0 ? kept : undefined)
  const isMissing = timeline.data?.isWhole && timeline.data.points.length === 0
  const error = outline.error ?? timeline.error ?? turns.error
  if (outline.data && turns.data && point)
    return (
      <LoadedContext
        place={place}
        entries={outline.data}
        turns={turns.data.turns}
        timeline={timeline.data!}
        point={point}
      />
    )
  if (error && !outline.data) return <QueryFault error={error} onRetry={() => void outline.refetch()} />
  if (timeline.error && !timeline.data)
    return <QueryFault error={timeline.error} onRetry={() => void timeline.refetch()} />
  if (isMissing)
    return (
      <EmptyState title="No model was asked yet">
        What the model is sent is shown here after the first message.
      </EmptyState>
    )
  if (timeline.data && turns.data && (timeline.data.isWhole || wantedAt < 0))
    return (
      <EmptyState
        title={missing(search, wantedAt >= 0)}
        action={<Button onClick={() => go({ turn: undefined, call: undefined })}>Show the latest</Button>}
      />
    )
  return <Skeleton rows={16} label="Loading the context" />
}

/** What an address asks for that is not there. */
function missing(
  { turn, call }: { readonly turn?: number; readonly call?: string },
  isTurn: boolean,
): string {
  if (call !== undefined) return 'There is no such call'
  return isTurn ? `No model was asked in turn ${turn}` : `There is no turn ${turn}`
}
