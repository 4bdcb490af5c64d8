import { MessageSquare } from 'lucide-react'
import { EmptyState } from '../../parts/empty-state.tsx'
import { isBegunHere } from '../../parts/new-conversation-name.ts'

export interface NothingSaidProps {
  readonly conversation: string
  /** Whether the server does not know the conversation. */
  readonly isNew: boolean
  readonly mayChat: boolean
}

/** A conversation without messages. If the server does not know it, the page says so: the address may be wrong. */
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
