import type { ListedConversation } from '../../api/conversation-list.ts'
import { endWords } from '../../parts/fault-words.ts'
import type { MarkName } from '../../parts/status-mark.tsx'
import { warningText } from '../../parts/warning-text.ts'

interface RowStanding {
  readonly status: MarkName
  /** What is wrong or going on, for people; absent if nothing is. */
  readonly text?: string
  readonly isTrouble?: boolean
}

/** A turn that is open comes before what went wrong earlier; a failure before a warning. */
export function standingOf({ latest }: ListedConversation): RowStanding {
  if (!latest) return { status: 'failed', text: 'Its log could not be read', isTrouble: true }
  const { status, call } = latest
  if (status.state === 'open') return { status: 'live', text: 'Answering' }
  if (call?.status === 'failed')
    return { status: 'failed', text: endWords('failed', call.error, call.model), isTrouble: true }
  if (status.state === 'interrupted')
    return { status: 'interrupted', text: 'Interrupted: the process that was answering has stopped' }
  if (call?.status === 'interrupted')
    return { status: 'interrupted', text: 'The last answer was interrupted' }
  if (call?.status === 'cancelled') return { status: 'stopped', text: 'The last answer was cancelled' }
  const [warning] = call?.warnings ?? []
  if (warning !== undefined) return { status: 'warning', text: warningText(warning, call!), isTrouble: true }
  return { status: 'idle' }
}
