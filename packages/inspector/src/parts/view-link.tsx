import { Link } from '@tanstack/react-router'
import { type ConversationSearch, usePlace } from './address.ts'

export interface ViewLinkProps extends React.ComponentProps<'a'> {
  readonly view: 'context' | 'chat'
  /** Another conversation than the one that is shown. */
  readonly conversation?: string | undefined
  /** Where in it: by default where this view is. */
  readonly search?: ConversationSearch
}

export function ViewLink({ view, conversation, search, ...link }: ViewLinkProps) {
  const place = usePlace()
  return (
    <Link
      {...link}
      to={`/c/$conversation/${view}`}
      params={{ conversation: conversation ?? place.conversation }}
      search={search ?? place.search}
    />
  )
}
