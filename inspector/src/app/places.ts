import { FlaskConical, MessageSquare, Plug, Search, Settings } from 'lucide-react'

/** The places that are always one step away: in the rail, and on a narrow screen in a menu. */
export const places = [
  { to: '/', label: 'Conversations', Icon: MessageSquare },
  { to: '/e', label: 'Experiments', Icon: FlaskConical },
  { to: '/search', label: 'Search', Icon: Search },
] as const

/** Those at the end of the rail. */
export const settingsPlaces = [
  { to: '/welcome', label: 'Connect a client', Icon: Plug },
  { to: '/settings', label: 'Settings', Icon: Settings },
] as const
