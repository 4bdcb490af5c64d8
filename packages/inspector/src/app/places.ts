import { useQuery } from '@tanstack/react-query'
import { lazyRouteComponent } from '@tanstack/react-router'
import { FlaskConical, LayoutGrid, MessageSquare, Plug, Search, Settings } from 'lucide-react'
import { keepTrying } from '../api/connection.ts'
import { serverQuery } from '../api/queries.ts'

/** The places that are always one step away: in the rail, on a narrow screen in a menu, and by keys. */
export const places = [
  { to: '/', label: 'Conversations', Icon: MessageSquare, keys: 'g c', does: 'conversations' },
  {
    to: '/e',
    label: 'Experiments',
    Icon: FlaskConical,
    keys: 'g e',
    does: 'experiments',
    plug: 'experiments',
  },
  { to: '/search', label: 'Search', Icon: Search, keys: 'g s', does: 'search in every message' },
  {
    to: '/try',
    label: 'Try',
    Icon: LayoutGrid,
    keys: 'g t',
    does: 'try an application',
    plug: 'gallery',
  },
] as const

/** The places of this server: the one of a package is left out where the server does not have it. */
export function usePlaces() {
  const { data: server } = useQuery(serverQuery)
  return places.filter(place => !server || !('plug' in place) || server.plugs.includes(place.plug))
}

export const settingsPlaces = [
  {
    to: '/welcome',
    label: 'Connect a client',
    Icon: Plug,
    keys: 'g w',
    does: 'connect a client, open a sample',
  },
  { to: '/settings', label: 'Settings', Icon: Settings, keys: 'g p', does: 'settings' },
] as const

/** Loaded when it is first opened, with retries: a view must not be lost because the server was being started again. */
export const lazyView: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(() => keepTrying(load), name)

export const FirstVisit = lazyView(
  () => import('../views/first-visit/first-visit.tsx'),
  'FirstVisit',
)
const ChatView = lazyView(() => import('../views/chat/chat-view.tsx'), 'ChatView')
const ContextView = lazyView(() => import('../views/context/context-view.tsx'), 'ContextView')
const OverTimeView = lazyView(() => import('../views/over-time/over-time-view.tsx'), 'OverTimeView')
const ToolsView = lazyView(() => import('../views/tools/tools-view.tsx'), 'ToolsView')

/** The views of a conversation, in the order of their tabs and of the keys 1 to 4. */
export const conversationViews = [
  { path: 'chat', label: 'Chat', component: ChatView },
  { path: 'context', label: 'Context', component: ContextView },
  { path: 'over-time', label: 'Over time', component: OverTimeView },
  { path: 'tools', label: 'Tools and notes', component: ToolsView },
] as const
