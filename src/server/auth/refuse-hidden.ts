import { isExperimentNamed, isInnerActor } from '../../experiment/log/shown-store.ts'
import { BadRequestError } from '../../log/bad-request-error.ts'
import { showValue } from '../../log/error.ts'
import { NotFoundError } from '../../log/not-found-error.ts'
import type { Log } from '../exchange/inquiry.ts'
import type { Caller } from './caller.ts'

/** Refuses to answer in a thread that the library keeps for itself: its plans and prompts are no conversation. */
export function refuseInner(actor: string | undefined): void {
  if (actor !== undefined && isInnerActor(actor))
    throw new BadRequestError(
      `The actor ${showValue(actor)} is reserved: names that begin with "throughline:" are the library's own.`,
      'actor',
    )
}

/** A person can only read their own conversations: all others count as not found. */
export async function refuseOthers({ store, tenant, history: { person } }: Log, only: string): Promise<void> {
  if (person === undefined) return
  const [conversation] = await store.conversations(tenant, { only, person })
  if (!conversation) throw noConversation(only)
}

const noConversation = (name: string) =>
  new NotFoundError('no_conversation', `There is no conversation ${showValue(name)}.`)

/** To those who may not inspect, an experiment is not there: not to be read, and not to be gone on with by a model. */
export async function refuseExperiment(
  { store, tenant }: Pick<Log, 'store' | 'tenant'>,
  conversation: string | undefined,
  { scopes }: Pick<Caller, 'scopes'>,
): Promise<void> {
  if (conversation === undefined || scopes.includes('inspect')) return
  if (await isExperimentNamed(store, { tenant, conversation })) throw noConversation(conversation)
}
