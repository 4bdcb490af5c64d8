import { lazyView } from './lazy-view.ts'

/**
 * The views of a conversation, in the order of their tabs and of the keys 1 to 8. Each is loaded when it is first opened. A
 * name in the address is never changed: people keep addresses.
 */
export const conversationViews = [
  {
    path: 'chat',
    label: 'Chat',
    component: lazyView(() => import('../views/chat/chat-view.tsx'), 'ChatView'),
  },
  {
    path: 'context',
    label: 'Context',
    component: lazyView(() => import('../views/context/context-view.tsx'), 'ContextView'),
  },
  {
    path: 'what-if',
    label: 'What if',
    component: lazyView(() => import('../views/what-if/what-if-view.tsx'), 'WhatIfView'),
  },
  {
    path: 'over-time',
    label: 'Over time',
    component: lazyView(() => import('../views/over-time/over-time-view.tsx'), 'OverTimeView'),
  },
  {
    path: 'notes',
    label: 'Notes',
    component: lazyView(() => import('../views/notes/notes-view.tsx'), 'NotesView'),
  },
  {
    path: 'state',
    label: 'State',
    component: lazyView(() => import('../views/state/state-view.tsx'), 'StateView'),
  },
  {
    path: 'dump',
    label: 'Dump',
    component: lazyView(() => import('../views/dump/dump-view.tsx'), 'DumpView'),
  },
  {
    path: 'calls',
    label: 'Calls',
    component: lazyView(() => import('../views/calls/calls-view.tsx'), 'CallsView'),
  },
] as const

/** The views of an experiment. */
export const experimentViews = [
  { path: 'board', label: 'Board' },
  { path: 'threads', label: 'Threads' },
  { path: 'log', label: 'Log' },
  { path: 'plan', label: 'Plan' },
] as const
