import type { MessageLike } from '@throughline/core/messages'
import type { ModelPart } from '@throughline/models/model'
import { type StartedServer, startServer } from '@throughline/test-tools/start-server'
import { expect, it } from 'vitest'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'
import type { Upstream } from '../src/upstream/upstream.ts'

/** Agents as they talk over the wire. What they send was read from the programs themselves; texts are shortened. */

type Body = Readonly<Record<string, unknown>>
type Headers = Readonly<Record<string, string>>

const textOf = (message: MessageLike | undefined) => JSON.stringify(message?.content ?? '')

/** Calls the tool that the newest message names as `use:<name>`, then answers with a number. It thinks before each reply. */
function agent(): Upstream {
  let replies = 0
  const partsFor = (messages: readonly MessageLike[]): readonly ModelPart[] => {
    replies += 1
    const thought = { type: 'thinking-delta', text: `Thought ${replies}.` } as const
    const usage = { promptTokens: 50, replyTokens: 9 }
    const name = /use:(\w+)/.exec(textOf(messages.at(-1)))?.[1]
    if (name !== undefined)
      return [
        thought,
        { type: 'tool-call', id: `call_${replies}`, name, arguments: argumentsOf(name) },
        { type: 'end', reason: 'tool-calls', usage },
      ]
    return [
      thought,
      { type: 'text-delta', text: `Answer ${replies}.` },
      { type: 'end', reason: 'stop', usage },
    ]
  }
  return {
    ...readerUpstream(),
    model: name => ({
      name,
      window: async () => 32_768,
      async *stream({ messages }) {
        yield* partsFor(messages)
      },
    }),
  }
}

const task = 'ask agent: look at the boat.\n\nTell me what it is called. '

const argumentsOf = (name: string) =>
  JSON.stringify(name === 'agent' ? { description: 'look', prompt: task } : { path: 'notes.txt' })

async function post(
  { url }: StartedServer,
  path: string,
  body: Body,
  headers: Headers,
): Promise<Body> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'm', ...body }),
  })
  const text = await response.text()
  expect(response.status, text).toBe(200)
  return JSON.parse(text) as Body
}

/** What the log holds: the user's messages and the answers of each branch, by conversation and actor. */
async function logOf({ history }: StartedServer) {
  const found: Record<string, unknown> = {}
  for (const { conversation, threads } of await history.conversations())
    for (const { actor, branch } of threads) {
      const said = (await history.thread(conversation, { actor, branch }).display())
        .filter(({ role, content }) => role !== 'tool' && content !== '')
        .map(
          message =>
            textOf(message)
              .match(/Answer \d+\.|ask \w+/g)
              ?.at(-1) ?? 'other words',
        )
      found[[conversation, actor, branch].join(' ')] = said
    }
  return found
}

/** A name of the log without what is made up anew each time. */
const isSide = (name: string) => name.includes('throughline:side:')

// Anthropic's form: Claude Code, pi.

interface Block {
  readonly type: string
  readonly [field: string]: unknown
}

/** A client of `/v1/messages` that keeps what it got. `keep`: what it makes of a reply when it sends it again. */
function messagesClient(
  server: StartedServer,
  common: Body,
  headers: Headers,
  keep: (blocks: readonly Block[]) => readonly Block[] = blocks => blocks,
) {
  const list: { role: string; content: unknown }[] = []
  return async function say(text: string): Promise<void> {
    list.push({ role: 'user', content: [{ type: 'text', text }] })
    for (;;) {
      const { content } = await post(
        server,
        '/v1/messages?beta=true',
        { ...common, messages: list },
        headers,
      )
      const blocks = content as readonly Block[]
      list.push({ role: 'assistant', content: keep(blocks) })
      const calls = blocks.filter(({ type }) => type === 'tool_use')
      if (calls.length === 0) return
      const results = calls.map(({ id }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: 'a boat',
      }))
      list.push({ role: 'user', content: results })
    }
  }
}

const readTool = { name: 'read', input_schema: { type: 'object' } }

/** Claude Code sends calls back with the defaults of its tools. */
const completed = (blocks: readonly Block[]) =>
  blocks.map(block =>
    block.type === 'tool_use'
      ? { ...block, input: { replace_all: false, ...Object(block.input) } }
      : block,
  )

it('keeps a session of Claude Code in one branch: titles and suggestions beside it, an agent as an actor', async () => {
  const server = await startServer({ upstream: agent() })
  const headers = { 'x-claude-code-session-id': 'cc-1', 'user-agent': 'claude-cli/2.1' }
  const billing = { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1; cch=1' }
  const name = { type: 'text', text: "You are Claude Code, Anthropic's official CLI for Claude." }
  const system = (text: string) => [billing, name, { type: 'text', text }]
  const title = (text: string) =>
    post(
      server,
      '/v1/messages?beta=true',
      {
        max_tokens: 32_000,
        system: system(
          'Generate a concise, sentence-case title (3-7 words) that captures the main topic.',
        ),
        messages: [
          { role: 'user', content: [{ type: 'text', text: `<session>\n${text}\n</session>` }] },
        ],
        tools: [],
        output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
      },
      headers,
    )
  const main = { max_tokens: 32_000, system: system('You help with software.'), tools: [readTool] }
  const say = messagesClient(server, main, headers, completed)
  await title('ask one')
  await say('<system-reminder>Today.</system-reminder>\nask one use:read')
  const child = messagesClient(
    server,
    { max_tokens: 32_000, system: system('You are an agent of Claude Code.'), tools: [readTool] },
    { ...headers, 'x-claude-code-agent-id': 'a1' },
  )
  await child('ask agent use:read')
  await say('ask two')
  // With the whole history and its tools, and never gone on with.
  await post(
    server,
    '/v1/messages?beta=true',
    {
      ...main,
      messages: [
        { role: 'user', content: '<system-reminder>Today.</system-reminder>\nask one use:read' },
        {
          role: 'user',
          content: '[SUGGESTION MODE: Suggest what the user might naturally type next into it.]',
        },
      ],
    },
    headers,
  )
  await title('ask two')
  await say('ask three')
  const log = await logOf(server)
  const own = Object.entries(log).filter(([name]) => !isSide(name))
  expect(Object.fromEntries(own)).toEqual({
    'claude-code:cc-1 assistant main': [
      'ask one',
      'Answer 3.',
      'ask two',
      'Answer 6.',
      'ask three',
      'Answer 9.',
    ],
    'claude-code:cc-1 a1 main': ['ask agent', 'Answer 5.'],
  })
})

it.each([
  ['as it got it', (blocks: readonly Block[]) => blocks],
  [
    'without a signature as text',
    (blocks: readonly Block[]) =>
      blocks.map(block =>
        block.type === 'thinking' && block.signature === ''
          ? { type: 'text', text: block.thinking }
          : block,
      ),
  ],
])('keeps a session of pi in one branch, which sends a thought %s', async (_, keep) => {
  const server = await startServer({ upstream: agent() })
  const common = {
    max_tokens: 8000,
    system: 'You are an expert coding assistant.',
    tools: [readTool],
  }
  const say = messagesClient(server, common, {}, keep)
  for (const text of ['ask one use:read', 'ask two use:read', 'ask three']) await say(text)
  expect(Object.values(await logOf(server))).toEqual([
    ['ask one', 'Answer 2.', 'ask two', 'Answer 4.', 'ask three', 'Answer 5.'],
  ])
})

// The Responses API: Codex.

it('keeps the subagents of Codex as actors in the conversation of their parent, and theirs too', async () => {
  const server = await startServer({ upstream: agent() })
  const tools = [{ type: 'function', name: 'read', parameters: { type: 'object' } }]
  function thread(headers: Headers) {
    const part = (role: string, type: string, text: string) => ({
      type: 'message',
      role,
      content: [{ type, text }],
    })
    const input: Body[] = [
      part('user', 'input_text', '<environment_context>/work</environment_context>'),
    ]
    return async (text: string) => {
      input.push(part('user', 'input_text', text))
      for (;;) {
        const { output } = await post(
          server,
          '/v1/responses',
          { input, tools, store: false },
          headers,
        )
        input.push(...(output as readonly Body[]))
        const call = input.at(-1)!
        if (call.type !== 'function_call') return
        input.push({
          type: 'function_call_output',
          call_id: call.call_id,
          output: 'Chunk ID: 1\nOutput:\na boat',
        })
      }
    }
  }
  const ids = (own: string, parent?: string) => ({
    ...{ 'session-id': 't-root', 'thread-id': own },
    ...(parent !== undefined && {
      'x-codex-parent-thread-id': parent,
      'x-openai-subagent': 'collab_spawn',
    }),
  })
  const root = thread(ids('t-root'))
  const child = thread(ids('t-child', 't-root'))
  const grandchild = thread(ids('t-grandchild', 't-child'))
  await root('ask one use:read')
  await child('ask two use:read')
  await grandchild('ask three')
  await child('ask four')
  await root('ask five')
  expect(await logOf(server)).toEqual({
    'codex:t-root assistant main': ['other words', 'ask one', 'Answer 2.', 'ask five', 'Answer 7.'],
    'codex:t-root t-child main': ['other words', 'ask two', 'Answer 4.', 'ask four', 'Answer 6.'],
    'codex:t-root t-grandchild main': ['other words', 'ask three', 'Answer 5.'],
  })
})

// Chat completions: opencode, Qwen Code.

function chatClient(
  server: StartedServer,
  past: readonly MessageLike[],
  headers: Headers,
  names = ['read'],
) {
  const list: MessageLike[] = [...past]
  const tools = names.map(name => ({
    type: 'function',
    function: { name, parameters: { type: 'object' } },
  }))
  /** `run` is called while the tools run. */
  async function say(text: string, run = async () => {}): Promise<void> {
    list.push({ role: 'user', content: text })
    for (;;) {
      const body = { messages: list, ...(tools.length > 0 && { tools }) }
      const { choices } = await post(server, '/v1/chat/completions', body, headers)
      const { message } = (choices as { message: MessageLike }[])[0]!
      list.push(message)
      const calls = (message.tool_calls ?? []) as readonly { id: string }[]
      if (calls.length > 0) await run()
      for (const { id } of calls) list.push({ role: 'tool', tool_call_id: id, content: 'a boat' })
      if (calls.length === 0) return
    }
  }
  return { say, list }
}

const system = (content: string) => ({ role: 'system', content })
const user = (content: string) => ({ role: 'user', content })

it('keeps the subagents of opencode as actors, and its titles beside', async () => {
  const server = await startServer({ upstream: agent() })
  const headers = { 'x-session-id': 'ses_1', 'x-session-affinity': 'ses_1' }
  const asking = user('Generate a title for this conversation:\n')
  const title = [system('You are a title generator. You output ONLY a thread title.'), asking]
  await chatClient(server, title, headers, []).say('"ask one"')
  const root = chatClient(server, [system('You are opencode.')], headers)
  await root.say('ask one use:read')
  const own = {
    'x-session-id': 'ses_2',
    'x-session-affinity': 'ses_2',
    'x-parent-session-id': 'ses_1',
  }
  await chatClient(server, [system('You are opencode.')], own).say('ask two use:read')
  await root.say('ask three')
  const log = Object.entries(await logOf(server)).filter(([name]) => !isSide(name))
  expect(Object.fromEntries(log)).toEqual({
    'session:ses_1 assistant main': ['ask one', 'Answer 3.', 'ask three', 'Answer 6.'],
    'session:ses_1 ses_2 main': ['ask two', 'Answer 5.'],
  })
})

it('tells sessions of Qwen Code apart that share their preamble, and keeps its memory subagent beside', async () => {
  const server = await startServer({ upstream: agent() })
  const preamble = [
    user('This is the Qwen Code. We are setting up the context for our chat.\nToday is Monday.'),
    { role: 'assistant', content: 'Got it. Thanks for the context!' },
  ]
  const start = () => chatClient(server, [system('You are Qwen Code, an agent.'), ...preamble], {})
  /** After a turn, another agent reads the whole list, with tools and rounds of its own. */
  const remember = (list: readonly MessageLike[]) => {
    const own = system(
      'You are now acting as the managed memory extraction subagent for an assistant.',
    )
    const memory = chatClient(server, [own, ...list.slice(1)], {}, ['read', 'write'])
    return memory.say('Managed memory directory: `/home/memory` use:write')
  }
  const one = start()
  await one.say('ask one use:read')
  await remember(one.list)
  const two = start()
  await two.say('ask two use:read')
  await one.say('ask three')
  await remember(two.list)
  // On the next day the preamble is another one.
  two.list[1] = user(
    'This is the Qwen Code. We are setting up the context for our chat.\nToday is Tuesday.',
  )
  await two.say('ask four')
  await remember(one.list)
  await one.say('ask five')
  const log = Object.entries(await logOf(server)).filter(([name]) => !isSide(name))
  expect(log.map(([, said]) => said).toSorted()).toEqual([
    [
      'other words',
      'other words',
      'ask one',
      'Answer 2.',
      'ask three',
      'Answer 7.',
      'ask five',
      'Answer 13.',
    ],
    ['other words', 'other words', 'ask two', 'Answer 6.', 'ask four', 'Answer 10.'],
  ])
  expect(log.every(([name]) => name.endsWith(' assistant main'))).toBe(true)
})

it('keeps a subagent whose client does not say who started it with the call that did, while that waits', async () => {
  const server = await startServer({ upstream: agent() })
  const parent = chatClient(server, [system('You are Qwen Code, an agent.')], {}, ['agent'])
  const child = () => chatClient(server, [system('You are a general-purpose agent.')], {})
  await parent.say('ask one use:agent', async () => {
    const own = child()
    await own.say(task)
    await own.say('ask two')
  })
  await parent.say('ask three')
  // Nobody waits for it now: the same words begin a conversation.
  await child().say(task)
  const log = Object.entries(await logOf(server)).map(
    ([name, said]) => [name.split(' '), said] as const,
  )
  const [[main]] = log.filter(([, said]) => (said as string[])[0] === 'ask one') as [
    (typeof log)[number],
  ]
  const own = log.filter(([[conversation]]) => conversation === main[0])
  expect(
    own.map(([[, actor = '', branch], said]) => [actor.replace(/:.*/, ''), branch, said]),
  ).toEqual([
    ['agent', 'main', ['ask agent', 'Answer 2.', 'ask two', 'Answer 3.']],
    ['assistant', 'main', ['ask one', 'Answer 4.', 'ask three', 'Answer 5.']],
  ])
  expect(
    log.filter(([[conversation]]) => conversation !== main[0]).map(([, said]) => said),
  ).toEqual([['ask agent', 'Answer 6.']])
})
