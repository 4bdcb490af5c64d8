import { notesInContext } from '@throughline/chat/turn'
import { type Context, choosePolicy, policyNames } from '@throughline/core/context'
import { InvalidOptionError } from '@throughline/core/errors'
import { inCounts, type Room, unknownWindow } from '@throughline/core/tokens'
import type { Thread, ThreadContextOptions } from '@throughline/history'
import { givenPrompt, isRun, readPlan } from '@throughline/history/calls'
import type { StoredCall } from '@throughline/stores/store'
import { z } from 'zod'
import { promptPlace } from '../exchange/answer.ts'
import type { ServerParts } from '../routes/server-parts.ts'
import { modelsSoon } from '../upstream/upstreams.ts'
import { count, place } from './schemas.ts'

/** How a context is to be made. What is not said is as it was in the last call of the thread. */
export const fitFields = {
  window: z
    .int()
    .min(1)
    .max(100_000_000)
    .optional()
    .describe("in the model's tokens, as the reserve"),
  reserve: count.optional(),
  policy: z
    .string()
    .max(100)
    .optional()
    .describe(`one of ${policyNames.join(', ')}; \`sliding-50\` and \`tiered-2\` say how many`),
  effort: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('how much is recalled; goes with the policy default'),
  system: z.string().max(1_000_000).optional().describe('another system prompt; empty for none'),
  notes: z.enum(['inline', 'system', 'off']).optional(),
  shape: z.enum(['free', 'alternating']).optional(),
  hands: z
    .literal('now')
    .optional()
    .describe(
      'with what is pinned and hidden now, also at an earlier place; default: as it was there',
    ),
  overflow: z
    .enum(['error', 'keep', 'trim'])
    .optional()
    .describe('default "keep": what does not fit is shown'),
}

export const atField = place
  .optional()
  .describe('the thread as it was when this entry was its last')

export type FitFields = z.output<z.ZodObject<typeof fitFields>>

/** How a context is made: the options of `fit`, and the system prompt. Window and reserve are in our counts. */
export interface FitSettings extends Omit<ThreadContextOptions, 'at' | 'previous'> {
  readonly window: number
  readonly reserve: number
}

/** How a context is made, and the room that was asked for, in the tokens of the model that answered last. */
export interface RoomSettings {
  readonly settings: FitSettings
  readonly room: Room
  /** The model whose calibration counts. */
  readonly model?: string
  /** The tokens of the tools of the last call, in our counts. */
  readonly tools: number
}

/** What says how contexts are made where a request does not: the upstream of the last call, else the server. */
export type FitParts = Pick<ServerParts, 'options' | 'upstreams'>

/** Gives the settings of contexts of a thread. What a request does not say is as in the last call, which is read once. */
export async function createSettings(thread: Thread, { options, upstreams }: FitParts) {
  const [last] = await thread.calls({ limit: 1 })
  const upstreamOptions = last && upstreams.ofRecorded(last.model)?.options
  const { policy, window, reserve, notes, steadyPrompt } = { ...options, ...upstreamOptions }
  const plan = last && readPlan(last.plan)
  const usual = {
    window: plan?.window ?? window ?? (await windowOfNext(upstreams)) ?? unknownWindow,
    reserve: plan?.reserve ?? reserve ?? 0,
  }
  const prompt = last && (await promptIn(thread, last))
  return async (fields: FitFields, at?: number): Promise<RoomSettings> => {
    const { factor = 1 } = (last && (await thread.calibration(last.model, { at }))) ?? {}
    const system = fields.system === '' ? undefined : (fields.system ?? prompt)
    const chosenWindow = fields.window ?? usual.window
    // A reserve that was meant for another window must leave some of this one.
    const reserve = fields.reserve ?? Math.min(usual.reserve, Math.floor(chosenWindow / 2))
    const room = { window: chosenWindow, reserve, factor }
    const settings = {
      ...inCounts(room),
      overflow: fields.overflow ?? 'keep',
      policy: policyOf(fields) ?? policy,
      shape: fields.shape,
      hands: fields.hands,
      system,
      // Only calls to a local upstream have moved lines by themselves.
      ...(plan?.given && { systemPrompt: promptPlace({ steadyPrompt }, true) }),
      ...notesInContext({ notes }),
      ...(fields.notes && { notes: fields.notes === 'off' ? (false as const) : fields.notes }),
    } as const
    return { settings, room, model: last?.model, tools: plan?.parts.tools ?? 0 }
  }
}

/** The window of the model that the page would ask, for a thread without calls: an import, the sample. Undefined if unknown. */
async function windowOfNext(upstreams: FitParts['upstreams']): Promise<number | undefined> {
  const [first] = await modelsSoon(upstreams)
  return first?.window
}

export async function createFitting(thread: Thread, parts: FitParts) {
  const settingsFor = await createSettings(thread, parts)
  return async (
    fields: FitFields,
    { at, previous }: { readonly at?: number; readonly previous?: Context } = {},
  ): Promise<{ readonly context: Context; readonly room: Room }> => {
    const { settings, room } = await settingsFor(fields, at)
    return { context: await thread.context({ ...settings, at, previous }), room }
  }
}

/** The system prompt of a call, which is no entry. */
export async function promptIn(
  thread: Thread,
  call: Pick<StoredCall, 'plan'>,
): Promise<string | undefined> {
  const plan = readPlan(call.plan)
  const [first] = plan.messages
  if (!first || isRun(first)) return undefined
  return givenPrompt(plan, (await thread.replay(call))[0])
}

export function policyOf({ policy, effort }: Pick<FitFields, 'policy' | 'effort'>) {
  if (policy === undefined)
    return effort === undefined ? undefined : choosePolicy('default', { effort })
  const [, name = policy, number] = /^(sliding|tiered)-(\d{1,6})$/.exec(policy) ?? []
  const amount = number === undefined ? undefined : Number(number)
  if (amount === 0) throw new InvalidOptionError('policy', 'expected a number of at least 1')
  return choosePolicy(name, { effort, [name === 'sliding' ? 'messages' : 'full']: amount })
}
