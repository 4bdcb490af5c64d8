import { useQuery } from '@tanstack/react-query'
import type { ListedConversation } from '../../api/conversation-list.ts'
import { contextQuery } from '../../api/queries.ts'
import type { ContextAnswer } from '../../api/timeline.ts'
import { useLate } from '../../parts/skeleton.tsx'

/** The window of a conversation's last call; where nothing was sent yet, as it would be now. */
export type LastWindow = Pick<
  ContextAnswer,
  'parts' | 'counts' | 'tokens' | 'window' | 'reserve' | 'margin' | 'policy' | 'factor'
> & { readonly reused?: number | undefined; readonly isSent: boolean }

export function useWindow({ conversation, latest }: ListedConversation, mayInspect: boolean) {
  // Rows that are scrolled past need no context.
  const isRested = useLate(300)
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
