import type { z } from 'zod'
import { countAsUse } from '../../history/count-as-use.ts'
import type { History, Thread } from '../../history/index.ts'
import type { ConversationInfo } from '../../stores/store.ts'
import { notFound } from '../auth/refusals.ts'
import type { ApiCall } from './route.ts'
import type { threadFields } from './schemas.ts'

export async function findConversation(history: History, conversation: string): Promise<ConversationInfo> {
  const [info] = await history.conversations({ only: conversation, limit: 1 })
  if (!info) throw notFound('conversation', conversation)
  return info
}

export type ThreadRequest<Query = unknown> = ApiCall<
  { readonly conversation: string },
  z.output<z.ZodObject<typeof threadFields>> & Query
>

/** The thread that a request names. What is not there, or is another tenant's, is not found. */
export async function threadOf({ params, query, looking, log }: ThreadRequest): Promise<Thread> {
  const { actor, branch } = query
  const thread = looking.thread(params.conversation, { actor, branch })
  if (await log.store.head(thread.key)) {
    countAsUse(looking, params.conversation)
    return thread
  }
  const { threads } = await findConversation(looking, params.conversation)
  const hasActor = threads.some(one => one.actor === thread.key.actor)
  throw hasActor ? notFound('branch', thread.key.branch) : notFound('thread', thread.key.actor)
}
