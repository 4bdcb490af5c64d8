import type { Context } from '../context/context.ts'
import { ThroughlineError } from '../log/error.ts'
import type { MessageLike } from '../log/message.ts'
import type { LoggedMessage } from './logged-message.ts'

/** How a context is kept with its call: entries by their places, everything else as it was sent. */
interface Plan {
  readonly version: 1
  readonly messages: readonly (number | object)[]
  readonly tokens: number
  readonly policy: string
  readonly counter: string
  readonly window: number
  readonly parts: Readonly<Record<string, number>>
  /** The different verdicts: [fate, rule, why]. */
  readonly verdicts: readonly (readonly string[])[]
  /** Where each stretch of entries with one verdict begins, and which: [first, verdict]. */
  readonly fates: readonly (readonly [number, number])[]
}

/** The compact form of a context: entries never change, so their places are enough. */
export function toPlan({ messages, tokens, receipt }: Context, logged: readonly LoggedMessage[]): string {
  const places = new Map<object, number>(logged.map(({ message, seq }) => [message, seq]))
  const plan: Plan = {
    version: 1,
    messages: messages.map(message => places.get(message) ?? message),
    tokens,
    policy: receipt.policy,
    counter: receipt.counter,
    window: receipt.window,
    parts: Object.fromEntries(Object.entries(receipt.parts).filter(([, part]) => part > 0)),
    ...toFates(receipt.entries),
  }
  return JSON.stringify(plan)
}

/** The very messages of a call again, whatever the policies have become since. */
export function fromPlan(text: string, logged: readonly LoggedMessage[]): readonly MessageLike[] {
  const plan = JSON.parse(text) as Plan
  if (plan.version !== 1) {
    throw new ThroughlineError(
      'unknown_plan',
      `The plan of this call has the version ${String(plan.version)}: update throughline.`,
    )
  }
  const bySeq = new Map(logged.map(({ message, seq }) => [seq, message]))
  return plan.messages.map(item => {
    if (typeof item !== 'number') return item as MessageLike
    const message = bySeq.get(item)
    if (!message)
      throw new ThroughlineError(
        'unknown_plan',
        `The plan of this call names entry ${item}, which is not in the thread.`,
      )
    return message
  })
}

function toFates(entries: Context['receipt']['entries']): Pick<Plan, 'verdicts' | 'fates'> {
  const verdicts = new Map<string, number>()
  const fates: [number, number][] = []
  for (const { seq, fate, rule, why } of entries) {
    const text = JSON.stringify([fate, rule, why])
    const verdict = verdicts.get(text) ?? verdicts.size
    verdicts.set(text, verdict)
    if (fates.at(-1)?.[1] !== verdict) fates.push([seq, verdict])
  }
  return { verdicts: [...verdicts.keys()].map(text => JSON.parse(text) as string[]), fates }
}
