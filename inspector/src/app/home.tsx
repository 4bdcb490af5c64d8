import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { conversationsQuery, serverQuery } from '../api/queries.ts'
import { QueryFault } from '../parts/query-state.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { ImportArea } from './import-area.tsx'
import { lazyView } from './views.ts'

const ConversationsView = lazyView(
  () => import('../views/conversations/conversations-view.tsx'),
  'ConversationsView',
)
const FirstVisit = lazyView(() => import('../views/first-visit/first-visit.tsx'), 'FirstVisit')

/** All conversations; while there are none, what to begin with. */
export function Home() {
  const { data, error, refetch } = useInfiniteQuery(conversationsQuery)
  const { data: server } = useQuery(serverQuery)
  if (data === undefined)
    return error ? <QueryFault error={error} onRetry={() => void refetch()} /> : <Skeleton />
  const isEmpty = data.pages.every(({ conversations }) => conversations.length === 0)
  return (
    <ImportArea
      isAllowed={server?.scopes.includes('admin') ?? false}
      asksWhose={server?.remember === 'person' && server.person === undefined}
    >
      {isEmpty ? <FirstVisit isEmpty /> : <ConversationsView />}
    </ImportArea>
  )
}
Home.preload = () => ConversationsView.preload?.()
