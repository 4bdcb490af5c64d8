import { MessageSquare } from 'lucide-react'
import { EmptyState } from '../../parts/empty-state.tsx'
import { isBegunHere } from '../../parts/new-conversation-name.ts'

export interface NothingSaidProps {
  readonly conversation: string
  /** Whether the server does not know the conversation. */
  readonly isNew: boolean
  readonly mayChat: boolean
}

/** A conversation without messages. One that nobody began here is said not to exist: its address may be a wrong one. */
export function NothingSaid({ conversation, isNew, mayChat }: NothingSaidProps) {
  const isUnknown = isNew && !isBegunHere(conversation)
  return (
    <EmptyState
      icon={<MessageSquare size={20} aria-hidden />}
      title={isUnknown ? `There is no conversation “${conversation}” yet` : 'Nothing has been said yet'}
      heading="h2"
    >
      {isUnknown && 'It may have been deleted, or have another name. '}
      {mayChat
        ? 'Your first message begins the conversation.'
        : 'This key may only read: with one that has the scope chat you can begin.'}
    </EmptyState>
  )
}
