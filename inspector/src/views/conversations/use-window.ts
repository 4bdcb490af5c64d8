import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ListedConversation } from '../../api/conversation-list.ts'
import { contextQuery } from '../../api/queries.ts'

/** The window of a conversation's last call; where nothing was sent yet, as it would be now. */
export interface LastWindow {
  readonly parts: Readonly<Record<string, number>>
  readonly counts: Readonly<Record<string, number>>
  readonly tokens: number
  readonly window: number
  readonly reserve: number
  readonly margin: number
  readonly policy: string
  readonly reused?: number | undefined
  readonly factor?: number | undefined
  readonly isSent: boolean
}

export function useWindow({ conversation, latest }: ListedConversation, mayInspect: boolean) {
  const isRested = useRested()
  const call = latest?.call
  const isUnsent = latest !== undefined && call === undefined && latest.entries > 0
  const { data: made, error } = useQuery({
    ...contextQuery({ conversation, actor: latest?.actor, branch: latest?.branch }, { messages: false }),
    enabled: isRested && mayInspect && isUnsent,
  })
  const last: LastWindow | undefined = call
    ? { ...call, tokens: call.predicted, isSent: true }
    : isUnsent && made
      ? { ...made, isSent: false }
      : undefined
  return { last, isLoading: mayInspect && isUnsent && made === undefined && error === null }
}

/** Whether a row has been there for a while: those that are scrolled past need no context. */
function useRested(ms = 300): boolean {
  const [isRested, setRested] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setRested(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return isRested
}
