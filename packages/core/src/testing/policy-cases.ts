import { ContextOverflowError } from '../context/compose/finish.ts'
import { type Policy, pipe } from '../context/draft/draft.ts'
import { type Context, type FitOptions, fit } from '../context/fit.ts'
import type { MessageLike } from '../log/message.ts'
import { words } from '../tokens/words.ts'
import { assertContext } from './assert-context.ts'
import { assistant, round, system, user } from './builders.ts'
import { randomConversation } from './random-conversation.ts'

/** One requirement on every policy. `run` throws when the policy fails it. */
export interface PolicyCase {
  /** The requirement in words: the name of a test. */
  readonly name: string
  /** Makes contexts with the policy, and checks them. */
  run(policy: Policy): void
}

/**
 * The conformance suite for policies, for any test runner.
 *
 * @example
 * for (const { name, run } of policyCases) it(name, () => run(myPolicy))
 */
export const policyCases: readonly PolicyCase[] = Object.entries<PolicyCase['run']>({
  'leaves a conversation that fits in a form that every provider takes': policy => {
    check(policy, [system('s'), user('a'), assistant('b'), user('c')], { window: 1_000 })
  },
  'gives nothing for nothing': policy => {
    const { messages } = check(policy, [], { window: 100 })!
    if (messages.length > 0) throw new Error('an empty conversation gave messages')
  },
  'keeps first and latest user message and the last round, and never exceeds the window':
    policy => {
      const rounds = Array.from({ length: 60 }, (_, n) => round('run', `output ${n}`)).flat()
      for (let window = 8; window < 300; window += 7)
        check(policy, [user('the goal'), ...rounds], { window })
    },
  'holds every invariant on 300 random conversations': policy => {
    for (let seed = 1; seed <= 300; seed++) {
      const shape = seed % 2 ? 'free' : 'alternating'
      const overflow = seed % 3 ? 'keep' : 'trim'
      check(policy, randomConversation(seed), { window: 1 + ((seed * 37) % 700), shape, overflow })
    }
  },
  'gives the same bytes twice, and for a list that grows as for one that is read at once':
    policy => {
      const messages = randomConversation(7, 40)
      for (let length = 1; length <= messages.length; length++) {
        const options = { window: 120, overflow: 'keep' } as const
        const warm = JSON.stringify(check(policy, messages.slice(0, length), options))
        const cold = JSON.stringify(
          check(policy, structuredClone(messages.slice(0, length)), options),
        )
        if (warm !== cold)
          throw new Error(`the context of ${length} messages differs from a cold start`)
      }
    },
  'changes nothing that it is given': policy => {
    const messages = randomConversation(11, 40)
    const before = JSON.stringify(messages)
    check(policy, messages, { window: 90, overflow: 'keep' })
    if (JSON.stringify(messages) !== before) throw new Error('the input was changed')
  },
  'keeps what a policy before it protects, and does not bring back what that left out': policy => {
    for (let window = 160; window < 700; window += 60) {
      const { messages, receipt } = fit(islands, {
        window,
        count: words(),
        policy: pipe(decided, policy),
      })
      const lost = receipt.entries.find(
        ({ seq, fate }) => isRule(islands[seq]!.content) && !/kept|altered/.test(fate),
      )
      if (lost)
        throw new Error(`message ${lost.seq} was protected, and is ${lost.fate}: ${lost.why}`)
      if (isSecret(JSON.stringify(messages)))
        throw new Error('a message was sent that a policy before had left out')
    }
  },
  'never moves its cut back, and leaves the window nothing to cut, behind another policy':
    policy => {
      let last = 0
      for (let length = 1; length <= islands.length; length += 2) {
        const options = { window: 500, count: words(), policy: pipe(decided, policy) }
        const { cut, entries } = fit(islands.slice(0, length), options).receipt
        const before = cut?.before ?? 0
        if (before < last)
          throw new Error(`with ${length} messages the cut moved back from ${last} to ${before}`)
        if (cut && entries.some(({ rule }) => rule === 'window'))
          throw new Error(`with ${length} messages the window had to cut more than the policy`)
        last = before
      }
    },
}).map(([name, run]) => ({ name, run }))

/** A policy of a user's own: some messages always stay, some are never sent. */
const decided: Policy = {
  name: 'decided',
  apply(draft) {
    const rules = draft.units.filter(unit => isRule(draft.textOf(unit)))
    const secrets = draft.units.filter(unit => isSecret(draft.textOf(unit)))
    return draft.protect(rules, 'a rule').drop(secrets, 'a secret')
  },
}

const isRule = (text: string) => text.startsWith('RULE:')
const isSecret = (text: string) => text.includes('secret')

const islands = Array.from({ length: 80 }, (_, n) => [
  user(n % 16 === 3 ? `RULE: never sail to island ${n}` : `What about the harbour of island ${n}?`),
  assistant(
    n % 5 === 1
      ? `The secret of island ${n} is its harbour.`
      : `The harbour of island ${n} is deep.`,
  ),
]).flat()

function check(
  policy: Policy,
  messages: readonly MessageLike[],
  options: FitOptions,
): Context | undefined {
  const all = { count: words(), ...options, policy }
  try {
    const context = fit(messages, all)
    assertContext(messages, all, context)
    return context
  } catch (error) {
    // An overflow error is a valid answer to a window that is too small.
    if (error instanceof ContextOverflowError) return undefined
    throw error
  }
}
