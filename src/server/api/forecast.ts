import { z } from 'zod'
import { readPlan } from '../../history/calls/read-plan.ts'
import { toModelTokens } from '../../tokens/calibration.ts'
import { nextContext } from '../../turn/ask/next-context.ts'
import { readThread } from '../../turn/log/thread-log.ts'
import { setUpAsking } from '../../turn/set-up-asking.ts'
import { notFound, threadOf } from './find.ts'
import { type ApiCall, defineRoute } from './route.ts'
import { count, name, threadFields } from './schemas.ts'

export async function modelFor({ parts: { upstreams, options } }: ApiCall, wanted: string | undefined) {
  const name = wanted ?? (await upstreams.models())[0]?.name
  if (name === undefined) throw notFound('model', '')
  return { name, model: upstreams.model(name), options: { ...options, ...upstreams.of(name).options } }
}

export const forecastRoutes = [
  defineRoute('post', '/conversations/:conversation/forecast', {
    scope: 'inspect',
    summary:
      'Counts what `send` would send for a message, without other conversations. Nothing is asked or stored.',
    query: threadFields,
    body: { input: z.string(), model: name.optional() },
    answer: z.object({
      tokens: count.describe("the prompt, in the model's tokens"),
      reused: count.describe('the tokens that are the same as at the beginning of the last call'),
      window: count,
    }),
    async handle(call) {
      const { input, model: wanted } = call.body
      const thread = await threadOf(call)
      const { model, options } = await modelFor(call, wanted)
      const asking = await setUpAsking({ ...options, model }, { signal: call.signal, specs: [] })
      const [last] = await thread.calls({ limit: 1 })
      // Another model has read nothing of it.
      const previous =
        last?.model === model.name
          ? {
              messages: await thread.replay(last),
              receipt: { parts: { tools: readPlan(last.plan).parts.tools ?? 0 } },
            }
          : { messages: [] }
      const log = readThread(call.looking, thread)
      // As the log would stamp it: a pause before it changes what is recalled.
      const next = { role: 'user', content: input, time: Date.now() }
      const {
        context,
        room: { window, factor },
      } = await nextContext({
        ...asking,
        log: { ...log, context: fit => log.context({ ...fit, next, previous }) },
      })
      const { tokens, receipt } = context
      return {
        tokens: toModelTokens(tokens, factor),
        reused: toModelTokens(receipt.prefix?.tokens ?? 0, factor),
        window,
      }
    },
  }),
]
