import { FlaskConical, MessageSquare, Plug, Search, Settings } from 'lucide-react'

/** The places that are always one step away: in the rail, on a narrow screen in a menu, and by keys. */
export const places = [
  { to: '/', label: 'Conversations', Icon: MessageSquare, keys: 'g c', does: 'conversations' },
  { to: '/e', label: 'Experiments', Icon: FlaskConical, keys: 'g e', does: 'experiments' },
  { to: '/search', label: 'Search', Icon: Search, keys: 'g s', does: 'search in every message' },
] as const

/** The places at the end of the rail. */
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
