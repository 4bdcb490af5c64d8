import { lazyRouteComponent } from '@tanstack/react-router'
import { keepTrying } from '../api/keep-listening.ts'

/**
 * A part of the page that is loaded when it is first opened. While the server is away, it is tried again until it is there:
 * a view must not be lost because it was opened while the server was started again.
 */
export const lazyView: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(() => keepTrying(load), name)

export const FirstVisit = lazyView(() => import('../views/first-visit/first-visit.tsx'), 'FirstVisit')
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
