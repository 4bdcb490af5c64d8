import type { AnswerOf } from '../api/routes.ts'

type TitleSource = Pick<AnswerOf<'get /conversations/:conversation'>, 'title' | 'latest'>

/** What a conversation is called: its title, else its name; where that is only an id, how it begins. */
export function titleOf(one: Partial<TitleSource> & { readonly conversation: string }): string {
  const { conversation, title, latest } = one
  if (title?.trim()) return title
  return (isId(conversation) && latest?.begins?.trim()) || conversation
}

/** Names that programs made: `9cb20e46-33c5-42e2-acdf-b9e2e5bb460e`, `open-webui:9cb20e46-…` */
const isId = (name: string) => /[0-9a-f]{8}-[0-9a-f]{4}-|[0-9a-f]{20}/i.test(name)
