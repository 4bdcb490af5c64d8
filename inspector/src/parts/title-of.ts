import type { AnswerOf } from '../api/client.ts'

type TitleSource = Pick<AnswerOf<'get /conversations/:conversation'>, 'title' | 'latest'>

/** What a conversation is called: its title, else its name; where that is only an id, how it begins. */
export function titleOf(one: Partial<TitleSource> & { readonly conversation: string }): string {
  const { conversation, title, latest } = one
  if (title?.trim()) return title
  return (isId(conversation) && latest?.begins?.trim()) || conversation
}

/** Names that programs made: `9cb20e46-33c5-42e2-acdf-b9e2e5bb460e`, `open-webui:9cb20e46-…` */
const isId = (name: string) => /[0-9a-f]{8}-[0-9a-f]{4}-|[0-9a-f]{20}/i.test(name)

export type ListedThread = AnswerOf<'get /conversations/:conversation/threads'>['threads'][number]

export const branchTitle = ({
  branch,
  begins,
}: Partial<ListedThread> & Pick<ListedThread, 'branch'>): string =>
  madeName.test(branch) ? begins?.text || 'New branch' : branch

/** Names that programs make: `edit mhx3k2a1`, `again mhx3k2b7`, a UUID. */
const madeName = /^(?:(?:edit|again) \S+|[0-9a-f]{8}-[0-9a-f-]{27})$/

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
