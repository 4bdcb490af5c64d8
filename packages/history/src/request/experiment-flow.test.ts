import {
  assistant,
  dialects,
  round,
  someHypothesis,
  someVariants,
  user,
} from '@throughline/core/fixtures'
import type { MessageDialect, MessageLike } from '@throughline/core/messages'
import { describe, expect, it, vi } from 'vitest'

/** A server process, with its own copy of every module, so that requests share nothing but messages. */
async function startServer() {
  vi.resetModules()
  const request = await import('./request-context.ts')
  const states = await import('@throughline/core/fixtures')
  const { hypothesis, variants, jobIds, experiment, preferences } = states

  const tools: Readonly<Record<string, (input: Input) => unknown>> = {
    generate_hypotheses: () => {
      const result = someHypothesis(`Idea of ${request.getContext().projectId}`)
      request.rememberState(hypothesis, result.hypotheses[0]!)
      return result
    },
    generate_variants: ({ title }) => {
      const input = title === undefined ? undefined : { title, url: 'https://explicit.example' }
      const { title: idea } = request.requireState(hypothesis, { input })
      const result = someVariants(`${idea} / job 1`, `${idea} / job 2`)
      request.rememberState(variants, result.variants)
      request.rememberState(
        jobIds,
        result.variants.map(variant => variant.jobId),
      )
      return result
    },
    // The result has the shape of variants, but comes from another tool.
    preview_experiment: () => ({
      variants: request.requireState(variants).map(({ label }) => ({ label })),
    }),
    create_experiment: () => ({
      experimentId: `exp of ${request.requireState(hypothesis).title}`,
      url: request.requireState(hypothesis).url,
      jobs: request.requireState(jobIds),
      labels: request.requireState(variants).map(({ label }) => label),
      tone: request.currentState(preferences).tone,
      projectId: request.getContext().projectId,
    }),
    set_preference: ({ key, value }) => ({ key, value }),
    get_status: () => ({ status: `running ${request.requireState(experiment).experimentId}` }),
  }

  /** One request with given model calls, each a round of its own. Returns the new messages. */
  return async function handle(
    conversation: readonly MessageLike[],
    steps: readonly Step[],
    options: Options,
  ) {
    const { dialect, projectId } = options
    return request.runWithContext({ conversation, projectId }, async () => {
      for (const [tool, input] of steps) {
        await new Promise(resolve => setTimeout(resolve, 0))
        request.appendToConversation(
          ...round(dialect, [{ tool, result: run(() => tools[tool]!(input ?? {})) }]),
        )
      }
      request.appendToConversation(assistant('Done.'))
      return request.getContext().conversation.slice(conversation.length)
    })
  }
}

interface Input {
  readonly title?: string
  readonly key?: string
  readonly value?: string
}
type Step = readonly [tool: string, input?: Input]

interface Options {
  readonly dialect: MessageDialect
  readonly projectId: string
}
type Server = Awaited<ReturnType<typeof startServer>>

/** A result as a chat stores it: an error is a text. */
function run(tool: () => unknown): unknown {
  try {
    return tool()
  } catch (error) {
    return `Error: ${(error as Error).message}`
  }
}

/** The user's requests. The confirmation is a message of its own. */
const flow: readonly (readonly [string, readonly Step[]])[] = [
  ['I like it formal', [['set_preference', { key: 'tone', value: 'formal' }]]],
  ['Improve my checkout', [['generate_hypotheses']]],
  ['Make variants', [['generate_variants']]],
  ['Show me', [['preview_experiment']]],
  ['Yes, create it', [['create_experiment']]],
  ['How is it going?', [['get_status']]],
]
const inOneRequest = [['Do it all', flow.flatMap(([, steps]) => steps)]] as const

const expected = (projectId: string) => ({
  experimentId: `exp of Idea of ${projectId}`,
  url: 'https://shop.example/checkout',
  jobs: [`Idea of ${projectId} / job 1`, `Idea of ${projectId} / job 2`],
  labels: ['Variant 1', 'Variant 2'],
  tone: 'formal',
  projectId,
})

/** The client keeps the history and sends all of it, as JSON, each time. */
async function fromClient(next: () => Promise<Server>, requests: typeof flow, options: Options) {
  let history = '[]'
  for (const [question, steps] of requests) {
    const sent = [...JSON.parse(history), user(question)]
    const server = await next()
    history = JSON.stringify([...sent, ...(await server(sent, steps, options))])
  }
  return JSON.parse(history) as readonly MessageLike[]
}

/** The server's store keeps the log, and the client sends only new messages. */
async function fromStore(next: () => Promise<Server>, requests: typeof flow, options: Options) {
  const log: MessageLike[] = []
  for (const [question, steps] of requests) {
    log.push(user(question))
    const server = await next()
    log.push(...(await server(log, steps, options)))
  }
  return log
}

const texts = (messages: readonly MessageLike[]) => JSON.stringify(messages).replaceAll('\\"', '"')
const modes = { 'the client sends the whole history': fromClient, 'the store has it': fromStore }

describe.each(Object.entries(modes))('%s', (_, play) => {
  describe.each(dialects)('in messages of %s', dialect => {
    const options = { dialect, projectId: 'p1' }
    const outcome = texts(
      round(dialect, [{ tool: 'create_experiment', result: expected('p1') }]).slice(1),
    ).slice(1, -1)

    it('goes from the hypothesis to the experiment', async () => {
      const server = await startServer()
      const log = texts(await play(async () => server, flow, options))
      expect(log).toContain(outcome)
      expect(log).toContain('running exp of Idea of p1')
      expect(log).not.toContain('Error:')
    })

    it('ends the same in one request, from the cache of that request', async () => {
      const server = await startServer()
      expect(texts(await play(async () => server, inOneRequest, options))).toContain(outcome)
    })

    it('ends the same when the process is killed and started again between any two steps', async () => {
      expect(texts(await play(startServer, flow, options))).toContain(outcome)
    })

    it('ends the same on two instances that take turns', async () => {
      const instances = [await startServer(), await startServer()]
      let turn = 0
      const next = async () => instances[turn++ % 2]!
      expect(texts(await play(next, flow, options))).toContain(outcome)
    })
  })

  it('tells the model what to do first', async () => {
    const steps: readonly Step[] = [
      ['generate_variants'],
      ['preview_experiment'],
      ['create_experiment'],
    ]
    const log = texts(
      await play(startServer, [['Create it', steps]], { dialect: 'openai', projectId: 'p1' }),
    )
    expect(log).toContain(
      'Error: No hypothesis available. Please generate hypotheses first using the generate_hypotheses tool.',
    )
    expect(log).toContain(
      'Error: No variants available. Please generate variants first using the generate_variants tool.',
    )
  })

  it('uses the hypothesis that a tool was given explicitly', async () => {
    const requests = [
      ['Ideas', [['generate_hypotheses']]],
      ['Mine instead', [['generate_variants', { title: 'My own' }]]],
    ] as const
    const log = texts(await play(startServer, requests, { dialect: 'openai', projectId: 'p1' }))
    expect(log).toContain('My own / job 1')
    expect(log).not.toContain('Idea of p1 / job 1')
  })
})

it('one server serves many users at once, and none gets the hypothesis of another', async () => {
  const server = await startServer()
  const projects = Array.from({ length: 50 }, (_, at) => `project-${at}`)
  const logs = await Promise.all(
    projects.map(projectId =>
      fromClient(async () => server, flow, { dialect: 'openai', projectId }),
    ),
  )
  for (const [at, log] of logs.entries()) {
    expect(texts(log)).toContain(JSON.stringify(expected(projects[at]!)))
    const named = texts(log).match(/project-\d+/g) ?? []
    expect(new Set(named)).toEqual(new Set([projects[at]]))
  }
})

it('an experiment of another project in the history is not found', async () => {
  const server = await startServer()
  const history = await fromClient(async () => server, flow, {
    dialect: 'openai',
    projectId: 'theirs',
  })
  const answer = await server([...history, user('Status?')], [['get_status']], {
    dialect: 'openai',
    projectId: 'mine',
  })
  expect(texts(answer)).toContain('Error: No experiment available.')
})
