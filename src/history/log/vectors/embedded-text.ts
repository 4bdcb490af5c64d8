import { saidIn } from '../../../context/conversation/unit-text.ts'
import { withoutLabel } from '../../../context/recall/terms.ts'
import type { Message } from '../../../log/message.ts'

/** The most characters of a text that are embedded: models cut longer ones themselves, at places of their own. */
const mostCharacters = 2000

/** What is embedded of a message: what it says, without a label, cut off where it is long. Empty: nothing. */
export function embeddedText(message: Message): string {
  const { role } = message
  if (role !== 'user' && role !== 'assistant' && role !== 'tool') return ''
  const parts = saidIn(message, call => `${call.name} ${call.arguments}`)
  const text = withoutLabel(parts.join('\n')).trim().slice(0, mostCharacters)
  // Not in the middle of a character.
  return text.replace(/[\uD800-\uDBFF]$/, '')
}
