/** The names that were made here: their conversations begin with the first message, and are not missing until then. */
const begun = new Set<string>()

export const isBegunHere = (conversation: string): boolean => begun.has(conversation)

/** A name for a conversation that begins here: when it began, for people. `chat-2026-03-12-161205` */
export function newConversationName(now = new Date()): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join('-')
  const name = `chat-${day}-${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`
  begun.add(name)
  return name
}
