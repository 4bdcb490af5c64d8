import type { MessageLike } from '@throughline/core/messages'
import { createHistory } from '@throughline/history'
import { rules } from '@throughline/models'
import { type Model, ModelError } from '@throughline/models/model'
import type { Store } from '@throughline/stores/store'
import { z } from 'zod'
import {
  createExperiments,
  defineExperiment,
  type ExperimentResult,
  type Hook,
} from '../src/index.ts'

/** Called before and after every effect of the experiment; may end the process, or throw. */
export type Boundary = (name: string) => void

export interface FiveStepsOptions {
  readonly store: Store
  readonly boundary?: Boundary
  /** Default: five steps of two roles. With hooks: two steps, of three roles. */
  readonly hasHooks?: boolean
  /** The second role is refused by its model in the second step, after a round of tools. */
  readonly isFailing?: boolean
  /** Breaks the plan on purpose: tools keep what they did in here, apart from their result. */
  readonly ledger?: { sold: number }
}

export interface Outcome {
  readonly result: ExperimentResult
  readonly histories: Readonly<Record<string, readonly object[]>>
  /** The points at which hooks were asked, each as often as it was recorded. */
  readonly asked: readonly string[]
}

const id = 'stand'

/** Rounds that go on, rounds that end the turn, several calls in one, unknown tools, notes, a seeded past, hooks. */
function fiveSteps({
  boundary = () => {},
  ledger,
  hasHooks = false,
  isFailing = false,
}: FiveStepsOptions) {
  const watched = (model: Model): Model => ({
    ...model,
    async *stream(request) {
      boundary('before model')
      yield* model.stream(request)
      boundary('after model')
    },
  })
  /** How often the model was asked in this turn. */
  const roundOf = (messages: readonly MessageLike[]) =>
    messages
      .slice(messages.findLastIndex(({ role }) => role === 'user'))
      .filter(({ role }) => role === 'assistant').length
  const buyer = rules(({ messages }) => {
    if (roundOf(messages) > 0) return 'Bought.'
    const buy = (lemons: number) => ({ name: 'buy', arguments: { lemons } })
    return { text: `I buy. [NOTE TO SELF: after ${messages.length}]`, calls: [buy(2), buy(1)] }
  })
  const smith = rules(({ messages }) => {
    if (isFailing && roundOf(messages) > 0)
      throw new ModelError('model_refused', 'No more.', { status: 400 })
    const isLast = isFailing && /^Step 2\./.test(String(messages.at(-1)!.content))
    const sell = { name: 'sell', arguments: { lemons: 2 } }
    return { calls: isLast ? [{ name: 'look' }] : [sell, { name: 'nope' }] }
  })
  const clerk = rules(({ messages }) => `I have read ${messages.length} messages.`)
  return defineExperiment({
    name: 'lemonade',
    environment: {
      lemons: { type: 'int', value: 0 },
      cash: { type: 'float', value: 20 },
      sold: { type: 'array', value: [] as number[] },
    },
    tools: ({ tool }) => [
      tool({
        name: 'buy',
        input: z.object({ lemons: z.int() }),
        endsTurn: false,
        run({ lemons }, { environment }) {
          boundary('before buy')
          environment.lemons += lemons
          environment.cash -= lemons * 0.5
          boundary('after buy')
          return { lemons: environment.lemons }
        },
      }),
      tool({
        name: 'look',
        input: z.object({}),
        endsTurn: false,
        run: (_, run) => run.environment,
      }),
      tool({
        name: 'sell',
        input: z.object({ lemons: z.int() }),
        run({ lemons }, { environment }) {
          boundary('before sell')
          environment.lemons -= lemons
          environment.cash += lemons * 1.25
          environment.sold.push(lemons)
          if (ledger) {
            ledger.sold += lemons
            environment.cash = ledger.sold
          }
          boundary('after sell')
        },
      }),
    ],
    roles: [
      { name: 'buyer', model: watched(buyer), system: 'Buy.', notes: true, tools: ['buy'] },
      {
        name: 'Dr. Smith',
        model: watched(smith),
        tools: ['sell', 'look'],
        history: [{ role: 'user', content: 'Welcome.' }],
      },
      ...(hasHooks ? [{ name: 'clerk', model: watched(clerk), tools: [], cap: 4 }] : []),
    ],
    hooks: hasHooks ? hooks : [],
    goals: [{ description: 'sold out', holds: ({ sold }) => sold.length >= (hasHooks ? 2 : 5) }],
    maxSteps: 7,
  })
}

const hooks: readonly Hook<object>[] = [
  {
    on: 'before-role',
    run: ({ role, step }) =>
      role === 'clerk' && step === 1 ? { inject: 'Count well.' } : undefined,
  },
  {
    on: 'before-model',
    run: ({ role, round }) => (role === 'buyer' && round === 2 ? { inject: 'Quick!' } : undefined),
  },
  { on: 'after-tool', run: () => {} },
  {
    on: 'after-role',
    run: ({ role, step }) => (role === 'Dr. Smith' && step === 2 ? { endStep: true } : undefined),
  },
]

/** Runs or resumes the experiment, and returns all its results. */
export async function runFiveSteps(
  options: FiveStepsOptions,
  isResumed: boolean,
): Promise<Outcome> {
  const { store, boundary = () => {} } = options
  const history = createHistory({ store: watchStore(store, boundary) })
  const experiments = createExperiments({ history })
  const plan = fiveSteps(options)
  // Killed before its first entry was written, there is nothing to resume.
  const isThere = isResumed && (await experiments.list()).length > 0
  const result = await (isThere
    ? experiments.resume(plan, id)
    : experiments.run(plan, { id })
  ).result()
  const histories: Record<string, readonly object[]> = {}
  for (const { name } of plan.roles) {
    const messages = await history.thread(id, { actor: name }).messages()
    histories[name] = messages.map(({ time: _, ...message }) => message)
  }
  const entries = await history.thread(id, { actor: 'throughline:run' }).messages()
  const asked = entries
    .map(({ content }) => JSON.parse(String(content)) as { kind: string; key?: string })
    .flatMap(({ kind, key }) => (kind === 'hook' ? [key!] : []))
  return { result, histories, asked }
}

export const writes = ['begin', 'resume', 'append', 'end', 'seed', 'saveCall'] as const

function watchStore(store: Store, boundary: Boundary): Store {
  const watched = { ...store } as Record<string, unknown>
  for (const name of writes) {
    const write = store[name] as (...given: unknown[]) => Promise<unknown>
    watched[name] = async (...given: unknown[]) => {
      boundary(`before ${name}`)
      const written = await write(...given)
      boundary(`after ${name}`)
      return written
    }
  }
  return watched as unknown as Store
}
