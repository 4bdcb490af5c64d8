import type { Thread } from '@throughline/history'
import { checkPins, type Hands, pinRoom, withPin } from '@throughline/history/hands'
import { z } from 'zod'
import { notFound, refuseInner, refuseOthers } from '../auth/refusals.ts'
import type { ServerParts } from '../routes/server-parts.ts'
import { atField, createSettings, type FitParts } from './fit-thread.ts'
import { defineRoute, type ThreadRequest, threadOf } from './route.ts'
import { count, place, threadFields } from './schemas.ts'

const unit = z
  .object({ first: place, last: place })
  .describe('the places of the first and the last message: a call and its results stay together')

const entry = '/conversations/:conversation/entries/:entry'

export const handRoutes = [
  defineRoute('get', '/conversations/:conversation/hands', {
    scope: 'read',
    summary: 'Lists the messages that are pinned and those that are hidden.',
    query: { ...threadFields, at: atField },
    answer: z.object({
      pinned: z.array(unit),
      hidden: z.array(unit),
      tokens: count.describe("what the pins take in a context, in the model's tokens"),
    }),
    async handle(call) {
      const thread = await threadOf(call)
      const { at } = call.query
      const hands = await thread.hands({ at })
      if (hands.pinned.length === 0) return { ...hands, tokens: 0 }
      const { settings, factor } = await settingsOf(thread, call.parts)
      const { receipt } = await thread.context({ ...settings, overflow: 'keep', at })
      return { ...hands, tokens: pinRoom(receipt, factor).tokens }
    },
  }),
  defineRoute(
    'post',
    `${entry}/pin`,
    laying(
      'pin',
      'Pins a message: from now on it is always sent. Refused if the pins have no room.',
    ),
  ),
  defineRoute('delete', `${entry}/pin`, laying('unpin', 'Takes a pin back.')),
  defineRoute(
    'post',
    `${entry}/hide`,
    laying('hide', 'Hides a message: from now on it is never sent. It stays in the log.'),
  ),
  defineRoute('delete', `${entry}/hide`, laying('unhide', 'Takes a hide back.')),
  defineRoute('delete', entry, {
    scope: 'admin',
    summary: 'Erases the text of a message from all that is stored. A mark stays in its place.',
    query: {
      ...threadFields,
      dryRun: z.boolean().optional().describe('only tells whether it could be'),
    },
    answer: z.object({ erased: place }),
    async handle(call) {
      refuseInner({ actor: call.query.actor })
      await refuseOthers(call.log, call.params.conversation)
      const { key } = await threadOf(call)
      const { entry: erased } = call.params
      const thread = call.log.history.thread(key.conversation, key)
      const [entry] = await thread.entries({ at: erased, limit: 1 })
      if (entry?.seq !== erased) throw notFound('entry', String(erased))
      if (!call.query.dryRun) await thread.erase(erased)
      return { erased }
    },
  }),
]

/** What routes that lay a hand on a message, or take it away, have in common. */
function laying(does: Exclude<keyof Hands, 'hands'>, summary: string) {
  return {
    ...({ scope: 'chat', summary, query: threadFields, answer: unit } as const),
    async handle(call: ThreadRequest & { readonly params: { readonly entry: number } }) {
      // A guest may speak in another person's conversation, but not decide what that person's model sees.
      await refuseOthers(call.log, call.params.conversation)
      return checkedHands(await threadOf(call), call.parts)[does](call.params.entry)
    },
  }
}

/** The hands of a thread. A pin is refused if all pins do not fit into the window of the last call. */
export function checkedHands(thread: Thread, parts: HandParts): Hands {
  const { unpin, hide, unhide, hands } = thread
  return {
    unpin,
    hide,
    unhide,
    hands,
    async pin(seq) {
      const { settings, factor } = await settingsOf(thread, parts)
      const { receipt } = await thread.context(withPin(settings, seq))
      checkPins(receipt, factor)
      return thread.pin(seq)
    },
  }
}

type HandParts = FitParts & Pick<ServerParts, 'logOf'>

/**
 * The settings of the last call. The tools of its client take their room too, and so does its system prompt, which a caller
 * without `inspect` cannot read.
 */
async function settingsOf({ key }: Thread, parts: HandParts) {
  const whole = parts.logOf(key.tenant).history.thread(key.conversation, key)
  const { settings, room, tools } = await (await createSettings(whole, parts))({})
  const reserve = Math.min(settings.window - 1, settings.reserve + tools)
  return { settings: { ...settings, reserve }, factor: room.factor }
}
