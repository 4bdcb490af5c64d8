import { lazyRouteComponent } from '@tanstack/react-router'

/**
 * The views of a conversation, in the order of their tabs and of the keys 1 to 8. Each is loaded when it is first opened. A
 * name in the address is never changed: people keep addresses.
 */
export const conversationViews = [
  {
    path: 'chat',
    label: 'Chat',
    component: lazyRouteComponent(() => import('../views/chat/chat-view.tsx'), 'ChatView'),
  },
  {
    path: 'context',
    label: 'Context',
    component: lazyRouteComponent(() => import('../views/context/context-view.tsx'), 'ContextView'),
  },
  {
    path: 'what-if',
    label: 'What if',
    component: lazyRouteComponent(() => import('../views/what-if/what-if-view.tsx'), 'WhatIfView'),
  },
  {
    path: 'over-time',
    label: 'Over time',
    component: lazyRouteComponent(() => import('../views/over-time/over-time-view.tsx'), 'OverTimeView'),
  },
  {
    path: 'notes',
    label: 'Notes',
    component: lazyRouteComponent(() => import('../views/notes/notes-view.tsx'), 'NotesView'),
  },
  {
    path: 'state',
    label: 'State',
    component: lazyRouteComponent(() => import('../views/state/state-view.tsx'), 'StateView'),
  },
  {
    path: 'dump',
    label: 'Dump',
    component: lazyRouteComponent(() => import('../views/dump/dump-view.tsx'), 'DumpView'),
  },
  {
    path: 'calls',
    label: 'Calls',
    component: lazyRouteComponent(() => import('../views/calls/calls-view.tsx'), 'CallsView'),
  },
] as const

/** The views of an experiment. */
export const experimentViews = [
  { path: 'board', label: 'Board' },
  { path: 'threads', label: 'Threads' },
  { path: 'log', label: 'Log' },
  { path: 'plan', label: 'Plan' },
] as const
