import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { Context } from '@throughline/core/context'
import { actionsTitle, parseMessage } from '@throughline/core/messages'
import { type Body, type FakeUpstream, startUpstream } from '@throughline/models/fixtures'
import { generateText, jsonSchema, type ModelMessage, stepCountIs, streamText, tool } from 'ai'
import { o200k } from 'throughline/tokens/o200k'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { fitStep } from './fit-step.ts'

const count = o200k()
const system = 'You are a harbour master. Read every log before you answer.'
const prompt = 'Read all sixty logs and tell me on which day the pump failed.'

let upstream: FakeUpstream | undefined
afterEach(async () => {
  await upstream?.close()
  upstream = undefined
})

/** A model that reads a log in every step, two at a time now and then, until it has had sixty rounds. */
async function agent() {
  const started = await startUpstream((_, call) => {
    if (call > 60) return { text: ['On day 17.'] }
    const names = call % 10 === 0 ? ['read_log', 'read_log'] : ['read_log']
    return { calls: names.map((name, at) => ({ name, arguments: { day: call + at } })) }
  })
  upstream = started
  return {
    model: createOpenAICompatible({ name: 'local', baseURL: started.url })('m'),
    bodies: started.bodies,
  }
}

const readLog = tool({
  description: 'Reads the log of a day.',
  inputSchema: z.object({ day: z.number() }),
  execute: ({ day }) => ({ day, entries: `pump ${day % 4}: fine. `.repeat(30) }),
})
const tools = { read_log: readLog }

function tokensOf({ messages, tools: sent = [] }: Body): number {
  const sum = messages.reduce(
    (total, message, at) => total + count.message(parseMessage(message, at)),
    0,
  )
  return sum + (sent.length > 0 ? count.tools(sent) : 0) + (count.prompt ?? 0)
}

describe('fitStep', () => {
  it('keeps an agent with sixty rounds of tools in a window of 4096', async () => {
    const { model, bodies } = await agent()
    const contexts: Context[] = []
    const run = await generateText({
      model,
      system,
      prompt,
      tools,
      stopWhen: stepCountIs(100),
      prepareStep: fitStep({
        window: 4096,
        reserve: 512,
        count,
        system,
        tools,
        onContext: context => contexts.push(context),
      }),
    })
    expect(run.text).toBe('On day 17.')
    expect(run.steps).toHaveLength(61)
    // The run itself forgets nothing. Since AI SDK 7 the messages of a response are those of its last step.
    const { responseMessages = run.response.messages } = run as {
      responseMessages?: ModelMessage[]
    }
    expect(responseMessages.filter(message => message.role === 'tool')).toHaveLength(60)
    expect(Math.max(...bodies.map(tokensOf))).toBeLessThanOrEqual(4096 - 512)
    expect(Math.max(...bodies.map(tokensOf))).toBeGreaterThan(3000)
    for (const { messages } of bodies) {
      expect(messages.slice(0, 2)).toEqual([
        { role: 'system', content: system },
        { role: 'user', content: prompt },
      ])
    }
    // Each step sees the newest result, and a journal of the rounds that were cut.
    expect(JSON.stringify(bodies.at(-1)!.messages.at(-1))).toContain('pump')
    expect(JSON.stringify(bodies.at(-1)!.messages)).toContain(
      JSON.stringify(actionsTitle).slice(1, -1),
    )
    expect(contexts).toHaveLength(61)
    // Every step is fitted anew from the whole run: the system prompt, the question, and two messages a round.
    expect(contexts.map(({ receipt }) => receipt.entries.length)).toEqual(
      contexts.map((_, at) => 2 + 2 * at),
    )
    for (const [at, { receipt }] of contexts.entries())
      expect(receipt.tokens).toBeGreaterThanOrEqual(tokensOf(bodies[at]!))
  })

  it('without it the same agent outgrows the window', async () => {
    const { model, bodies } = await agent()
    await generateText({ model, system, prompt, tools, stopWhen: stepCountIs(100) })
    expect(Math.max(...bodies.map(tokensOf))).toBeGreaterThan(4096)
  })

  it('works for streams too', async () => {
    const { model, bodies } = await agent()
    const prepareStep = fitStep({ window: 2048, count, system, tools })
    const { text } = streamText({
      model,
      system,
      prompt,
      tools,
      stopWhen: stepCountIs(100),
      prepareStep,
    })
    expect(await text).toBe('On day 17.')
    expect(Math.max(...bodies.map(tokensOf))).toBeLessThanOrEqual(2048)
  })

  it('sends pins with the system prompt', async () => {
    const { model, bodies } = await agent()
    const prepareStep = fitStep({
      window: 4096,
      count,
      system,
      tools,
      pins: ['HARBOUR: Little Orrow'],
    })
    await generateText({ model, system, prompt, tools, stopWhen: stepCountIs(3), prepareStep })
    for (const { messages } of bodies) {
      expect(messages[0]).toEqual({ role: 'system', content: `${system}\n\nHARBOUR: Little Orrow` })
      expect(messages[1]).toEqual({ role: 'user', content: prompt })
    }
  })

  it('takes the system prompt as a text, a message or several, and leaves it alone', async () => {
    const message = { role: 'system' as const, content: system }
    const messages: ModelMessage[] = [{ role: 'user', content: 'hello' }]
    const steps = [system, message, [message, { ...message, content: 'Be brief.' }]]
    for (const given of steps) {
      const step = await fitStep({ window: 4096, count, system: given })({ messages })
      expect(step).toEqual({ messages })
      expect(step.messages[0]).toBe(messages[0])
    }
  })

  it('counts what the step itself tells: instructions, and descriptions that depend on a context', async () => {
    const seen: Context[] = []
    const onContext = (context: Context) => seen.push(context)
    const messages: ModelMessage[] = [{ role: 'user', content: 'hello' }]
    const look = {
      inputSchema: z.object({}),
      description: ({ context }: { context: { pier: string } }) => `Looks at pier ${context.pier}.`,
    }
    const step = fitStep({ window: 4096, count, tools: { look }, onContext })
    const told = {
      messages,
      instructions: system,
      initialInstructions: system,
      initialMessages: messages,
    }
    expect(await step({ ...told, toolsContext: { look: { pier: 'A' } } })).toEqual({ messages })
    expect(await step({ ...told, toolsContext: { look: { pier: 'A'.repeat(500) } } })).toEqual({
      messages,
    })
    expect(seen[0]!.messages[0]).toEqual({ role: 'system', content: system })
    expect(seen[1]!.receipt.parts.tools).toBeGreaterThan(seen[0]!.receipt.parts.tools + 50)
  })

  it('is fitted from the whole run where a step begins with what the last one sent', async () => {
    const user = (content: string): ModelMessage => ({ role: 'user', content })
    const answer = (content: string): ModelMessage => ({ role: 'assistant', content })
    const { messages } = await fitStep({ window: 4096, count })({
      messages: [user('[fitted]'), user('now')],
      initialMessages: [user('first')],
      responseMessages: [answer('approved'), answer('one'), answer('two')],
      steps: [
        { response: { messages: [answer('one')] } },
        { experimental_steeringMessages: [user('wait')], response: { messages: [answer('two')] } },
      ],
      experimental_steeringMessages: [user('now')],
    })
    expect(messages.map(({ content }) => content)).toEqual([
      'first',
      'approved',
      'one',
      'wait',
      'two',
      'now',
    ])
  })

  it('sends its system prompt again where an earlier step changed it', async () => {
    const messages: ModelMessage[] = [{ role: 'user', content: 'hello' }]
    const step = {
      messages,
      initialMessages: messages,
      initialInstructions: system,
      instructions: 'other',
    }
    expect(await fitStep({ window: 4096, count })(step)).toEqual({
      messages,
      system: [{ role: 'system', content: system }],
    })
  })

  it('leaves system messages where the caller has them', async () => {
    const own: ModelMessage[] = [
      { role: 'system', content: 'Of my own.' },
      { role: 'user', content: 'hello' },
    ]
    const { messages } = await fitStep({ window: 4096, count, system })({ messages: own })
    expect(messages).toEqual(own)
    expect(await fitStep({ window: 4096, count })({ messages: own })).toEqual({ messages: own })
  })

  it('has no system prompt left over where the first user message carries it', async () => {
    const options = {
      window: 4096,
      count,
      system,
      shape: 'alternating',
      systemRole: false,
    } as const
    const messages: ModelMessage[] = [{ role: 'user', content: 'hello' }]
    expect(await fitStep(options)({ messages })).toEqual({
      system: [],
      messages: [{ role: 'user', content: `${system}\n\nhello` }],
    })
  })

  it.each([
    ['zod', z.object({ day: z.number() })],
    ['jsonSchema', jsonSchema({ type: 'object', properties: { day: { type: 'number' } } })],
    [
      'a lazy schema',
      () => jsonSchema({ type: 'object', properties: { day: { type: 'number' } } }),
    ],
    [
      'a schema that is a promise',
      jsonSchema(async () => ({ type: 'object', properties: { day: {} } })),
    ],
  ])('counts tools with %s', async (_, inputSchema) => {
    const seen: Context[] = []
    const onContext = (context: Context) => seen.push(context)
    const messages: ModelMessage[] = [{ role: 'user', content: 'hello' }]
    await fitStep({ window: 4096, count, onContext })({ messages })
    await fitStep({ window: 4096, count, onContext, tools: { read_log: { inputSchema } } })({
      messages,
    })
    expect(seen[1]!.receipt.parts.tools - seen[0]!.receipt.parts.tools).toBeGreaterThan(20)
  })

  it('says which tool cannot be counted', async () => {
    const run = fitStep({ window: 4096, tools: { look: { inputSchema: {} } } })({ messages: [] })
    await expect(run).rejects.toThrow(/"tools": the input schema of "look" has no JSON form/)
  })
})
