import { Link } from '@tanstack/react-router'
import { Button } from '../parts/button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'

export interface NoConversationProps {
  readonly conversation: string
  readonly onRetry: () => void
}

/** What is said of a conversation that is not there. Its chat is not closed: a message begins it. */
export function NoConversation({ conversation, onRetry }: NoConversationProps) {
  return (
    <EmptyState
      title={`There is no conversation “${conversation}”`}
      action={
        <>
          <Link to="/">All conversations</Link>
          <Link to="/c/$conversation/chat" params={{ conversation }} search={{}}>
            Begin it
          </Link>
          <Button onClick={onRetry}>Look again</Button>
        </>
      }
    >
      It may have been deleted, have another name, or belong to another tenant.
    </EmptyState>
  )
}
