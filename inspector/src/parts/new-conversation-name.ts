/** A name for a conversation that begins here: when it began, for people. `chat-2026-03-12-161205` */
export function newConversationName(now = new Date()): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join('-')
  return `chat-${day}-${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`
}
