import { Link } from '@tanstack/react-router'
import { type ConversationSearch, usePlace } from './address.ts'
import buttons from './button.module.css'

export interface ViewLinkProps extends React.ComponentProps<'a'> {
  readonly view: 'context' | 'what-if' | 'chat' | 'dump'
  /** Another conversation than the one that is shown. */
  readonly conversation?: string | undefined
  /** Where in it: by default where this view is. */
  readonly search?: ConversationSearch
  readonly isButton?: boolean
}

/** A link to a view of a conversation. */
export function ViewLink({ view, conversation, search, isButton, ...link }: ViewLinkProps) {
  const place = usePlace()
  return (
    <Link
      {...(isButton && { className: buttons.button, 'data-kind': 'line' })}
      {...link}
      to={`/c/$conversation/${view}`}
      params={{ conversation: conversation ?? place.conversation }}
      search={search ?? place.search}
    />
  )
}
