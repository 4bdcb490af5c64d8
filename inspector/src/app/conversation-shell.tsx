import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ApiError } from '../api/api-error.ts'
import { conversationQuery } from '../api/queries.ts'
import { usePlace } from '../parts/address.ts'
import { useKeys } from '../parts/keys.ts'
import { titleOf } from '../parts/title-of.ts'
import { BranchMenu } from './branch-menu.tsx'
import { copyAddress } from './copy-address.ts'
import { Crumb } from './crumb.tsx'
import { NoConversation } from './no-conversation.tsx'
import { ViewFrame } from './view-frame.tsx'
import { conversationViews } from './views.ts'

/** A conversation: its name and branch, the tabs of its views, and the view that is open. */
export function ConversationShell() {
  const { conversation, search } = usePlace()
  const { data, error, refetch } = useQuery(conversationQuery(conversation))
  const { pathname } = useLocation()
  const navigate = useNavigate()
  // The chat says it itself: there a first message begins a conversation.
  const isMissing = error instanceof ApiError && error.status === 404 && !pathname.endsWith('/chat')
  const title = titleOf(data ?? { conversation })
  useEffect(() => {
    document.title = `${title} · Throughline`
  }, [title])
  // All views are there before they are opened: a server that has gone away takes none of them with it.
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const { component } of conversationViews) void component.preload?.()
    }, 2000)
    return () => clearTimeout(timer)
  }, [])
  useKeys(
    'Views',
    conversationViews.map(({ path, label }, at) => ({
      keys: String(at + 1),
      does: label,
      run: () => void navigate({ to: `/c/$conversation/${path}`, params: { conversation }, search }),
    })),
  )
  useKeys('Conversation', [copyAddress])
  return (
    <ViewFrame
      back="/"
      crumb={
        <Crumb to="/" list="Conversations" name={title}>
          <BranchMenu />
        </Crumb>
      }
      tabs={conversationViews.map(({ path, label }) => (
        <Link
          key={path}
          to={`/c/$conversation/${path}`}
          params={{ conversation }}
          search={search}
          activeOptions={{ includeSearch: false }}
        >
          {label}
        </Link>
      ))}
    >
      {isMissing ? <NoConversation conversation={conversation} onRetry={() => void refetch()} /> : <Outlet />}
    </ViewFrame>
  )
}
