import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ListedConversation } from '../../api/conversation-list.ts'
import { contextQuery } from '../../api/queries.ts'
import type { colourOfPart, Part } from '../../parts/fates.ts'
import { count } from '../../parts/format.ts'
import { WindowBar, type WindowSegment } from '../../parts/window-bar.tsx'
import styles from './conversation-table.module.css'

export interface WindowCellProps {
  readonly row: ListedConversation
  readonly mayInspect: boolean
}

/** How full the window was in the last call. Where nothing was sent yet, how full it would be. */
export function WindowCell({ row, mayInspect }: WindowCellProps) {
  const { conversation, latest } = row
  const call = latest?.call
  const isRested = useRested()
  const { data: made } = useQuery({
    ...contextQuery({ conversation, actor: latest?.actor, branch: latest?.branch }, { messages: false }),
    enabled: isRested && mayInspect && latest !== undefined && call === undefined && latest.entries > 0,
  })
  if (call) return <Filled {...call} tokens={call.predicted} right={call.policy} reused={call.reused} />
  if (made && latest && latest.entries > 0) return <Filled {...made} right="if sent now" />
  return <span className={styles.none}>{mayInspect ? 'not sent yet' : '–'}</span>
}

interface FilledProps {
  readonly parts: Readonly<Record<string, number>>
  readonly tokens: number
  readonly window: number
  readonly reserve: number
  readonly margin: number
  readonly reused?: number | undefined
  readonly right: string
}

function Filled({ parts, tokens, window, reserve, margin, reused, right }: FilledProps) {
  return (
    <>
      <WindowBar
        {...{ window, reserve, margin, reused, size: 'row' }}
        segments={toSegments(parts)}
        label={`${count(tokens)} of ${count(window)} tokens`}
      />
      <span className={styles.filled} aria-hidden="true">
        <b>{count(tokens)}</b> of {count(window)}
        <span className={styles.right}>{right}</span>
      </span>
    </>
  )
}

/** The parts in the order of a prompt. What was recalled is drawn in one piece. */
const toSegments = (parts: Readonly<Record<string, number>>): readonly WindowSegment[] =>
  order.flatMap(part => (parts[part] ? [{ part, tokens: parts[part] }] : []))

const order: readonly Part[] = [
  ...(['framing', 'tools', 'system', 'first', 'marker'] as const),
  ...(['notes', 'journal', 'digests', 'history', 'recall', 'latest'] as const),
] satisfies readonly (keyof typeof colourOfPart)[]

/** Whether a row has been there for a while: those that are scrolled past need no context. */
function useRested(ms = 300): boolean {
  const [isRested, setRested] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setRested(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return isRested
}
