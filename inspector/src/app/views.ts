import { lazyRouteComponent } from '@tanstack/react-router'
import { keepTrying } from '../api/keep-listening.ts'

/**
 * A part of the page that is loaded when it is first opened. While the server is away, it is tried again until it is there:
 * a view must not be lost because it was opened while the server was started again.
 */
export const lazyView: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(() => keepTrying(load), name)

const ChatView = lazyView(() => import('../views/chat/chat-view.tsx'), 'ChatView')
const ContextView = lazyView(() => import('../views/context/context-view.tsx'), 'ContextView')
const WhatIfView = lazyView(() => import('../views/what-if/what-if-view.tsx'), 'WhatIfView')
const OverTimeView = lazyView(() => import('../views/over-time/over-time-view.tsx'), 'OverTimeView')
const NotesView = lazyView(() => import('../views/notes/notes-view.tsx'), 'NotesView')
const StateView = lazyView(() => import('../views/state/state-view.tsx'), 'StateView')
const DumpView = lazyView(() => import('../views/dump/dump-view.tsx'), 'DumpView')
const CallsView = lazyView(() => import('../views/calls/calls-view.tsx'), 'CallsView')

/**
 * The views of a conversation, in the order of their tabs and of the keys 1 to 8. A name in the address is never changed:
 * people keep addresses.
 */
export const conversationViews = [
  { path: 'chat', label: 'Chat', component: ChatView },
  { path: 'context', label: 'Context', component: ContextView },
  { path: 'what-if', label: 'What if', component: WhatIfView },
  { path: 'over-time', label: 'Over time', component: OverTimeView },
  { path: 'notes', label: 'Notes', component: NotesView },
  { path: 'state', label: 'State', component: StateView },
  { path: 'dump', label: 'Dump', component: DumpView },
  { path: 'calls', label: 'Calls', component: CallsView },
] as const

/** The views of an experiment. */
export const experimentViews = [
  { path: 'board', label: 'Board' },
  { path: 'threads', label: 'Threads' },
  { path: 'log', label: 'Log' },
  { path: 'plan', label: 'Plan' },
] as const
