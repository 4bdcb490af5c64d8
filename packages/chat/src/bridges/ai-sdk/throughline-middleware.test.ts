import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { type Context, spongebob } from '@throughline/core/context'
import { addedTexts } from '@throughline/core/fixtures'
import { type MessageLike, markerText, parseMessage } from '@throughline/core/messages'
import {
  type Body,
  type FakeReply,
  type FakeUpstream,
  startUpstream,
} from '@throughline/models/fixtures'
import {
  generateText,
  jsonSchema,
  type ModelMessage,
  Output,
  stepCountIs,
  streamText,
  tool,
  wrapLanguageModel,
} from 'ai'
import { o200k } from 'throughline/tokens/o200k'
import { afterEach, describe, expect, it } from 'vitest'
import { type MiddlewareOptions, throughlineMiddleware } from './throughline-middleware.ts'

const count = o200k()

const upstreams: FakeUpstream[] = []
afterEach(async () => {
  for (const upstream of upstreams.splice(0)) await upstream.close()
})

async function wrapped(
  options: MiddlewareOptions,
  answer: () => FakeReply = () => ({ text: ['Berth', ' 12.'] }),
) {
  const upstream = await startUpstream(answer)
  upstreams.push(upstream)
  const contexts: Context[] = []
  const middleware = throughlineMiddleware({
    ...options,
    onContext: context => contexts.push(context),
  })
  const real = createOpenAICompatible({
    name: 'local',
    baseURL: upstream.url,
    supportsStructuredOutputs: true,
  })
  return {
    model: wrapLanguageModel({ model: real('m'), middleware }),
    contexts,
    bodies: upstream.bodies,
  }
}

/** What the server was sent, counted where it arrived. */
function tokensOf({ messages, tools = [] }: Body): number {
  const sum = messages.reduce(
    (total, message, at) => total + count.message(parseMessage(message, at)),
    0,
  )
  return sum + (tools.length > 0 ? count.tools(tools) : 0) + (count.prompt ?? 0)
}

/** A long chat in which every third answer looks something up, with each kind of result. */
const chat: ModelMessage[] = [
  { role: 'user', content: 'My boat is called Heron. Keep berth 12 for her.' },
  { role: 'assistant', content: 'Berth 12 is yours.' },
  ...Array.from({ length: 150 }, (_, n): ModelMessage[] => {
    const ids = [`a${n}`, `b${n}`]
    const outputs = [
      { type: 'json' as const, value: { tide: n, wind: 'north by east' } },
      { type: 'error-text' as const, value: `station ${n} does not answer` },
      { type: 'content' as const, value: [{ type: 'text' as const, text: `chart ${n}` }] },
    ]
    return [
      {
        role: 'user',
        content: [{ type: 'text', text: `Question ${n} about the tides and the weather.` }],
      },
      ...(n % 3 === 0
        ? ([
            {
              role: 'assistant',
              content: ids.map(toolCallId => ({
                type: 'tool-call',
                toolCallId,
                toolName: 'tide',
                input: { n },
              })),
            },
            ...ids.map((toolCallId, at) => ({
              role: 'tool',
              content: [
                {
                  type: 'tool-result',
                  toolCallId,
                  toolName: 'tide',
                  output: outputs[(n / 3 + at) % 3],
                },
              ],
            })),
          ] as ModelMessage[])
        : []),
      {
        role: 'assistant',
        content: [{ type: 'text', text: `Answer ${n}: nothing else changes today.` }],
      },
    ]
  }).flat(),
  { role: 'user', content: 'Which berth did I ask for, for the Heron?' },
]

const tide = tool({
  description: 'Looks up the tide. '.repeat(20),
  inputSchema: jsonSchema<{ n: number }>({ type: 'object', properties: { n: { type: 'number' } } }),
  execute: ({ n }) => `tide ${n}`,
})

describe('throughlineMiddleware', () => {
  it.each([{}, { policy: spongebob() }, { shape: 'alternating' as const }])(
    'an over-long chat arrives in the window, with whole rounds of tools: %j',
    async options => {
      const { model, contexts, bodies } = await wrapped({
        ...options,
        window: 2048,
        reserve: 256,
        count,
      })
      const system = 'You are a harbour master.'
      const { text } = await generateText({ model, system, messages: chat, tools: { tide } })
      // The server refuses torn rounds, so an answer is the proof that there was none.
      expect(text).toBe('Berth 12.')
      const [body] = bodies
      expect(tokensOf(body!)).toBeLessThanOrEqual(2048 - 256)
      expect(tokensOf(body!)).toBeGreaterThan(600)
      expect(body!.messages[0]).toEqual({ role: 'system', content: system })
      expect(JSON.stringify(body!.messages)).toContain('Keep berth 12')
      expect(JSON.stringify(body!.messages.at(-1))).toContain('Which berth did I ask for')
      const { receipt } = contexts[0]!
      expect(receipt.entries).toHaveLength(bodies[0]!.messages.length + gone(contexts[0]!))
      expect(receipt.tokens).toBeGreaterThanOrEqual(tokensOf(body!))
      expect(receipt.parts.tools).toBeGreaterThan(60)
    },
  )

  it('adds messages in the form of a prompt, and no system message in the middle', async () => {
    const { model, contexts } = await wrapped({ window: 2048, count })
    const told: ModelMessage[] = [
      { role: 'user', content: 'My dog is called Rook.' },
      { role: 'assistant', content: 'A fine name.' },
    ]
    const asked: ModelMessage = { role: 'user', content: 'What is my dog called?' }
    const log = [...chat.slice(0, 2), ...told, ...chat.slice(2, -1), asked]
    await generateText({ model, system: 'Be brief.', messages: log })
    const { messages, receipt } = contexts[0]!
    expect(addedTexts(receipt).map(one => one.part)).toEqual(
      expect.arrayContaining(['marker', 'recall']),
    )
    for (const { place, text } of addedTexts(receipt)) {
      expect(messages[place]).toEqual({ role: 'user', content: [{ type: 'text', text }] })
    }
    expect(messages.slice(1).filter(message => message.role === 'system')).toEqual([])
  })

  it('fits every step of an agent', async () => {
    let calls = 0
    const { model, contexts, bodies } = await wrapped({ window: 700, count }, () => {
      calls += 1
      return calls > 20
        ? { text: ['done'] }
        : { calls: [{ name: 'tide', arguments: { n: calls } }] }
    })
    const { text } = await generateText({
      model,
      prompt: 'go',
      tools: { tide },
      stopWhen: stepCountIs(50),
    })
    expect(text).toBe('done')
    expect(contexts).toHaveLength(21)
    expect(contexts.at(-1)!.receipt.counts.omitted).toBeGreaterThan(0)
    expect(Math.max(...bodies.map(tokensOf))).toBeLessThanOrEqual(700)
  })

  it('leaves a prompt that fits as it is', async () => {
    const { model, contexts, bodies } = await wrapped({ window: 4096, count })
    const { model: plain, bodies: expected } = await wrapped({ window: 1_000_000, count })
    const messages = chat.slice(0, 12)
    await generateText({ model, messages })
    await generateText({ model: plain, messages })
    expect(bodies).toEqual(expected)
    expect(contexts[0]!.receipt.counts).toMatchObject({ omitted: 0, altered: 0 })
    expect(JSON.stringify(bodies)).not.toContain(markerText)
  })

  it('keeps the beginning of a changing system prompt, and the order of its tools', async () => {
    const { model, bodies } = await wrapped({ window: 4096, count, systemPrompt: 'as user' })
    const names = ['tide', 'wind']
    const look = tool({
      inputSchema: jsonSchema<object>({ type: 'object' }),
      execute: () => 'fine',
    })
    const said: ModelMessage[] = []
    for (const turn of [0, 1, 2, 3]) {
      said.push({ role: 'user', content: `Question ${turn}` })
      const tools = Object.fromEntries(names.toReversed().map(name => [name, look]))
      names.reverse()
      const system = `Current time is 12:0${turn}.\nYou are kind.\nMood: ${turn}\nBe brief.`
      await generateText({ model, system, messages: said, tools })
      said.push({ role: 'assistant', content: 'Berth 12.' })
    }
    const heads = bodies.map(({ messages }) => String(messages[0]!.content))
    // Lines are moved once they have changed twice.
    expect(heads[1]).toContain('Mood: 1')
    expect(heads[2]).not.toContain('Mood')
    expect(heads[3]).toBe(heads[2])
    const late = bodies.at(-1)!.messages.at(-2)!
    expect(JSON.stringify(late)).toContain('Current time is 12:03.\\nMood: 3')
    expect(new Set(bodies.map(({ tools }) => JSON.stringify(tools))).size).toBe(1)
  })

  it('leaves a changing system prompt as it is unless its lines may be the text of the user', async () => {
    const { model, bodies } = await wrapped({ window: 4096, count, systemPrompt: 'stable' })
    const system = (turn: number) => `Current time is 12:0${turn}.\nYou are kind.`
    for (const turn of [0, 1, 2])
      await generateText({ model, system: system(turn), prompt: 'Is it late?' })
    expect(bodies.map(({ messages }) => messages[0]!.content)).toEqual([0, 1, 2].map(system))
    expect(bodies.map(({ messages }) => messages.length)).toEqual([2, 2, 2])
  })

  it('passes a stream on as it comes', async () => {
    const { model, contexts, bodies } = await wrapped({ window: 2048, count })
    const deltas: string[] = []
    for await (const delta of streamText({ model, messages: chat }).textStream) deltas.push(delta)
    expect(deltas).toEqual(['Berth', ' 12.'])
    expect(tokensOf(bodies[0]!)).toBeLessThanOrEqual(2048)
    expect(contexts).toHaveLength(1)
  })

  it('keeps free what the call wants for its reply, unless told otherwise', async () => {
    const { model, contexts } = await wrapped({ window: 2048, count })
    await generateText({ model, messages: chat, maxOutputTokens: 500 })
    await generateText({ model, messages: chat, maxOutputTokens: 500_000 })
    const { model: told, contexts: others } = await wrapped({ window: 2048, reserve: 100, count })
    await generateText({ model: told, messages: chat, maxOutputTokens: 500 })
    expect([...contexts, ...others].map(context => context.receipt.reserve)).toEqual([
      256, 256, 100,
    ])
  })

  it('keeps free what replies of the prompt took, and asks for no more than what is left', async () => {
    const { model, contexts, bodies } = await wrapped({ window: 4096, count })
    const long = { role: 'assistant' as const, content: 'berth '.repeat(700) }
    const messages = [chat[0]!, long, chat.at(-1)!]
    await generateText({ model, messages, maxOutputTokens: 100 })
    await generateText({ model, messages, maxOutputTokens: 32_000 })
    expect(contexts.map(({ receipt }) => receipt.reserve)).toEqual([100, 1024])
    const asked = bodies.map(body => (body as { max_tokens?: number }).max_tokens)
    expect(asked).toEqual([100, 4096 - contexts[1]!.receipt.tokens])
  })

  it('sends tools with shorter descriptions', async () => {
    const { model, contexts, bodies } = await wrapped({ window: 4096, count, maxToolTokens: 60 })
    const inputSchema = jsonSchema({
      type: 'object',
      properties: { berth: { enum: ['A1', 'B2'] } },
    })
    const description = `Looks at a berth. ${'It takes a while. '.repeat(40)}`
    await generateText({
      model,
      messages: chat,
      tools: { look: tool({ description, inputSchema }) },
    })
    expect(contexts[0]!.receipt.toolsSaved).toBeGreaterThan(100)
    expect(JSON.stringify(bodies[0]!.tools)).toContain('"description":"Looks at a berth."')
    expect(JSON.stringify(bodies[0]!.tools)).toContain('"enum":["A1","B2"]')
  })

  it('counts the schema of the reply', async () => {
    const { model, contexts } = await wrapped({ window: 2048, count }, () => ({
      text: ['{"berth":12}'],
    }))
    const schema = jsonSchema<{ berth: number }>({
      type: 'object',
      properties: { berth: { type: 'number' } },
    })
    const { output } = await generateText({
      model,
      messages: chat,
      output: Output.object({ schema }),
    })
    expect(output).toEqual({ berth: 12 })
    expect(contexts[0]!.receipt.parts.tools).toBeGreaterThan(0)
  })

  it('mends a call that crashed, in the form that the provider expects', async () => {
    const { model, bodies } = await wrapped({ window: 2048, count })
    const crashed = { type: 'tool-call' as const, toolCallId: 'x', toolName: 'tide', input: {} }
    // The AI SDK itself refuses such a chat, so it is handed to the model directly.
    await model.doGenerate({
      prompt: [
        { role: 'user', content: [{ type: 'text', text: 'hello' }] },
        { role: 'assistant', content: [crashed] },
        { role: 'user', content: [{ type: 'text', text: 'and now?' }] },
      ],
    })
    expect(bodies[0]!.messages[2]).toEqual({
      role: 'tool',
      tool_call_id: 'x',
      content: 'Error: interrupted',
    })
  })

  it('says with figures when even the protected part does not fit, and sends nothing', async () => {
    const { model, bodies } = await wrapped({ window: 200, count })
    const prompt = 'data '.repeat(500)
    await expect(generateText({ model, prompt })).rejects.toMatchObject({
      code: 'context_overflow',
    })
    expect(bodies).toEqual([])
    const { model: trims, bodies: trimmed } = await wrapped({
      window: 200,
      count,
      overflow: 'trim',
    })
    const messages = [
      { role: 'user', content: prompt },
      { role: 'user', content: 'Go on.' },
    ] as const
    await generateText({ model: trims, messages: [...messages] })
    expect(JSON.stringify(trimmed[0]!.messages)).toContain('tokens cut here')
    expect(tokensOf(trimmed[0]!)).toBeLessThanOrEqual(200)
  })
})

/** How many more lines the receipt has than the server got messages; a tool message of two results became two. */
function gone({ messages, receipt }: Context): number {
  const split = messages.reduce(
    (sum, message, at) => sum + Math.max(0, parseMessage(message, at).results.length - 1),
    0,
  )
  return receipt.entries.length - messages.length - split
}

describe('marks for Anthropic’s cache', () => {
  type Prompted = MessageLike & { readonly providerOptions?: object }
  const own = { anthropic: { cacheControl: { type: 'ephemeral' } } }
  const long = Array.from({ length: 60 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: [{ type: 'text', text: `${at} ${'leaf bark moss '.repeat(20)}` }],
  }))
  const prompt: readonly Prompted[] = [
    { role: 'system', content: 'Be kind.', providerOptions: { ...own, other: { a: 1 } } },
    ...long,
    { role: 'user', content: [{ type: 'text', text: 'Well?' }] },
  ]
  const marksOf = async (given: readonly Prompted[], provider?: string) => {
    const { transformParams } = throughlineMiddleware({ window: 2000 })
    const model = provider === undefined ? {} : { model: { provider } }
    const { prompt: sent } = await transformParams({ params: { prompt: given }, ...model })
    return sent.map(({ providerOptions = {} }) =>
      'anthropic' in providerOptions ? providerOptions : undefined,
    )
  }

  it('stand at the newest message and at the end of the request before, after a cut; the application’s stay', async () => {
    for (const provider of ['anthropic.messages', 'vertex.anthropic.messages']) {
      const marks = await marksOf(prompt, provider)
      expect(marks.length).toBeLessThan(prompt.length)
      expect([marks[0], marks.at(-1), marks.at(-3)]).toEqual([prompt[0]!.providerOptions, own, own])
      expect(marks.filter(mark => mark !== undefined)).toHaveLength(3)
    }
  })

  it('are not added to a prompt that is sent whole, nor for another provider', async () => {
    const onlyOwn = (marks: readonly unknown[]) => marks.filter(mark => mark !== undefined).length
    expect(
      onlyOwn(await marksOf([...prompt.slice(0, 3), ...prompt.slice(-1)], 'anthropic.messages')),
    ).toBe(1)
    expect(onlyOwn(await marksOf(prompt, 'openai.chat'))).toBe(1)
    expect(onlyOwn(await marksOf(prompt))).toBe(1)
  })
})
