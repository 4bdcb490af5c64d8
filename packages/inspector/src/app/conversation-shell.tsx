import { Menu } from '@base-ui/react/menu'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { GitBranch } from 'lucide-react'
import { useEffect } from 'react'
import { ApiError } from '../api/api-error.ts'
import {
  conversationQuery,
  outlineQuery,
  serverQuery,
  threadsQuery,
  usualActor,
  usualBranch,
} from '../api/queries.ts'
import { toThreadSearch, usePlace, viewAt } from '../parts/address.ts'
import { Button } from '../parts/button.tsx'
import { amountOf, branchTitle, isShown, titleOf } from '../parts/format.ts'
import { MenuItem, MenuPopup } from '../parts/menu-popup.tsx'
import { EmptyState } from '../parts/query-state.tsx'
import { conversationViews, places } from './places.ts'
import shadow from './shadow-banner.module.css'
import { ShadowBanner } from './shadow-banner.tsx'
import crumb from './view-frame.module.css'
import { TabbedFrame } from './view-frame.tsx'

/** A conversation: its name and branch, the tabs of its views, and the view that is open. */
export function ConversationShell() {
  const { conversation, search } = usePlace()
  const { data, error, refetch } = useQuery(conversationQuery(conversation))
  const hasTools = useHasTools()
  const { pathname } = useLocation()
  // The chat says it itself: there a first message begins a conversation.
  const isMissing = error instanceof ApiError && error.status === 404 && !pathname.endsWith('/chat')
  // All views are there before they are opened: a server that has gone away takes none of them with it.
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const { component } of conversationViews) void component.preload?.()
    }, 2000)
    return () => clearTimeout(timer)
  }, [])
  return (
    <TabbedFrame
      list={places[0]}
      kind="Conversation"
      name={titleOf(data ?? { conversation })}
      crumb={<BranchMenu />}
      tabs={conversationViews
        .filter(({ path }) => path !== 'tools' || hasTools)
        .map(({ path, label }) => ({ label, link: viewAt(path, conversation, search) }))}
    >
      {isMissing ? (
        <EmptyState
          title={`There is no conversation “${conversation}”`}
          action={
            <>
              <Link to="/">All conversations</Link>
              <Link {...viewAt('chat', conversation)}>Begin it</Link>
              <Button onClick={() => void refetch()}>Look again</Button>
            </>
          }
        >
          It may have been deleted, have another name, or belong to another tenant.
        </EmptyState>
      ) : (
        <div className={`grid slim tall ${shadow.under}`}>
          <ShadowBanner conversation={conversation} />
          <Outlet />
        </div>
      )}
    </TabbedFrame>
  )
}

/** Whether there is anything to see of tools. Notes are looked for in the outline: their texts must never come into the chat. */
function useHasTools(): boolean {
  const { thread } = usePlace()
  const { data: server } = useQuery(serverQuery)
  const enabled = server?.scopes.includes('inspect') ?? false
  const { data: entries = [] } = useQuery({ ...outlineQuery(thread), enabled })
  return entries.some(
    ({ role, calls }) => role === 'assistant_note' || role === 'tool' || calls !== undefined,
  )
}

/** The threads of a conversation: whose history on which branch is shown. */
function BranchMenu() {
  const { conversation, search, go } = usePlace()
  const { data } = useQuery(threadsQuery(conversation))
  const { actor = usualActor, branch = usualBranch } = search
  const threads = (data?.threads ?? []).filter(one => isShown(one, branch))
  const actors = new Set(threads.map(one => one.actor))
  const nameOf = (one: Parameters<typeof branchTitle>[0] & { readonly actor: string }) =>
    actors.size > 1 || one.actor !== usualActor
      ? `${one.actor} · ${branchTitle(one)}`
      : branchTitle(one)
  const current = threads.find(one => one.actor === actor && one.branch === branch) ?? {
    actor,
    branch,
  }
  return (
    <Menu.Root>
      <Menu.Trigger
        className={`hovers chip rigid ${crumb.branch}`}
        aria-label={`Branch ${nameOf(current)}`}
      >
        <GitBranch size={14} aria-hidden />
        <span className="ellipsis">{nameOf(current)}</span>
      </Menu.Trigger>
      <MenuPopup align="start">
        {threads.map(one => (
          <MenuItem
            key={`${one.actor}\n${one.branch}`}
            label={nameOf(one)}
            more={amountOf(one.turns, 'turn')}
            isChosen={one.actor === actor && one.branch === branch}
            onClick={() =>
              go({ ...toThreadSearch(one), turn: undefined, call: undefined }, { push: true })
            }
          />
        ))}
      </MenuPopup>
    </Menu.Root>
  )
}
