import { useInfiniteQuery } from '@tanstack/react-query'
import { conversationsQuery } from '../api/queries.ts'
import { QueryState } from '../parts/query-state.tsx'
import { ImportArea } from './import-area.tsx'
import { FirstVisit, lazyView } from './views.ts'

const ConversationsView = lazyView(
  () => import('../views/conversations/conversations-view.tsx'),
  'ConversationsView',
)

/** All conversations; while there are none, what to begin with. */
export function Home() {
  const conversations = useInfiniteQuery(conversationsQuery)
  return (
    <QueryState query={conversations}>
      {({ pages }) => (
        <ImportArea>
          {pages.every(page => page.conversations.length === 0) ? (
            <FirstVisit isEmpty />
          ) : (
            <ConversationsView />
          )}
        </ImportArea>
      )}
    </QueryState>
  )
}
Home.preload = () => ConversationsView.preload?.()
