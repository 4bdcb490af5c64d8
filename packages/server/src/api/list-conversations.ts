import { BadRequestError } from '@throughline/core/errors'
import { isSideName } from '@throughline/history/log'
import type { ConversationInfo } from '@throughline/stores/store'
import { z } from 'zod'
import { findProvisional } from '../identity/provisional.ts'
import type { ApiCall } from './route.ts'
import { limitOf, name } from './schemas.ts'

export const listFields = {
  after: z.string().max(2000).optional().describe('the `next` of the page before'),
  limit: limitOf(50, 200),
  person: name.optional().describe('only those of this person'),
  include: z
    .enum(['side', 'provisional', 'everything'])
    .optional()
    .describe(
      'also requests beside conversations (titles, tags), unnamed single messages, or both',
    ),
}

type ListQuery = z.output<z.ZodObject<typeof listFields>>

/** How many conversations are looked at for one page: a page may be shorter, or empty, and still have a next one. */
const mostLooked = 2000

/** A page of conversations. What is not wanted is left out after reading, so it reads on until the page is full. */
export async function listConversations(
  call: ApiCall,
  { person, after, limit, include }: ListQuery,
) {
  const isWith = (what: ListQuery['include']) => include === what || include === 'everything'
  const conversations: (ConversationInfo & { readonly provisional?: boolean })[] = []
  // One more than a page, so that one reading tells whether there is a next page.
  const atOnce = Math.max(limit + 1, 50)
  let last = fromCursor(after)
  for (let looked = 0; looked < mostLooked; ) {
    const listed = await call.looking.conversations({ person, limit: atOnce, after: last })
    const page = await withProvisional(call, listed)
    for (const one of page) {
      if (conversations.length === limit) return { conversations, next: toCursor(last!) }
      last = one
      if (isSideName(one.conversation) && !isWith('side')) continue
      if (one.provisional && !isWith('provisional')) continue
      const threads = one.threads.filter(({ branch }) => isWith('side') || !isSideName(branch))
      conversations.push({ ...one, threads })
    }
    if (page.length < atOnce) return { conversations }
    looked += page.length
  }
  return { conversations, next: toCursor(last!) }
}

const toCursor = ({
  conversation,
  updatedAt,
}: Pick<ConversationInfo, 'conversation' | 'updatedAt'>) => `${updatedAt}.${conversation}`

function fromCursor(cursor: string | undefined) {
  if (cursor === undefined) return undefined
  const [, updatedAt, conversation] = /^(\d{1,15})\.(.+)$/s.exec(cursor) ?? []
  if (conversation === undefined)
    throw new BadRequestError('after: expected the `next` of the page before.', 'after')
  return { conversation, updatedAt: Number(updatedAt) }
}

export async function withProvisional(
  { log: { store, history, tenant } }: ApiCall,
  listed: readonly ConversationInfo[],
) {
  const provisional = await findProvisional({ store, tenant, count: history.count }, listed)
  return listed.map(one => ({
    ...one,
    ...(provisional.has(one.conversation) && { provisional: true }),
  }))
}
