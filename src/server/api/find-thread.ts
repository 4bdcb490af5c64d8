import type { z } from 'zod'
import { countAsUse } from '../../history/count-as-use.ts'
import type { Thread } from '../../history/index.ts'
import { notFound } from './api-error.ts'
import type { ApiCall } from './route.ts'
import type { threadFields } from './schemas.ts'

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
  const [info] = await looking.conversations({ only: params.conversation, limit: 1 })
  if (!info) throw notFound('conversation', params.conversation)
  const hasActor = info.threads.some(one => one.actor === thread.key.actor)
  throw hasActor ? notFound('branch', thread.key.branch) : notFound('thread', thread.key.actor)
}
