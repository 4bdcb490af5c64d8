import type { MessageLike } from '@throughline/core/messages'
import { rules } from '@throughline/models/reader'
import { someStores } from '@throughline/test-tools/every-store'
import { type StartedServer, startServer } from '@throughline/test-tools/start-server'
import { expect, it } from 'vitest'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'
import type { Upstream } from '../src/upstream/upstream.ts'

/** Answers with a number that no other answer has. */
function numbered(): Upstream {
  let count = 0
  return {
    ...readerUpstream(),
    model: () => rules(() => `Answer number ${++count}.`, { window: 8192 }),
  }
}

/** One request as a client sends it. */
interface Wire {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

interface KnownClient {
  readonly name: string
  /** The request for the next answer, of all that was said. */
  readonly ask: (list: readonly MessageLike[]) => Wire
  /** What the client asks beside the conversation after a turn. */
  readonly beside?: (list: readonly MessageLike[], turn: number) => readonly Wire[]
  /** What the client makes of its list between two turns. */
  readonly shrink?: (list: readonly MessageLike[], turn: number) => readonly MessageLike[]
  /** The conversation, if the client names it. */
  readonly conversation?: string
  /** How many branches there are beside those of side requests. Default one. */
  readonly lines?: number
}

const user = (content: string) => ({ role: 'user', content })
const ollama = (messages: readonly MessageLike[], more: object = {}): Wire => ({
  path: '/api/chat',
  body: { model: 'm', messages, stream: true, ...more },
})
const openai = (
  messages: readonly MessageLike[],
  headers: Readonly<Record<string, string>>,
  more: object = {},
): Wire => ({
  path: '/v1/chat/completions',
  headers,
  body: { model: 'm', messages, stream: true, ...more },
})

const webui = { 'x-openwebui-chat-id': 'w-1' }
const task = (words: string): Wire => ({
  ...openai([user(`### Task:\n${words}`)], webui),
  body: { model: 'm', messages: [user(`### Task:\n${words}`)], stream: false },
})
const opencode = { 'x-session-id': 'ses_1' }
const claude = { 'x-claude-code-session-id': 'cc-1', 'user-agent': 'claude-cli/2.0' }

const clients: readonly KnownClient[] = [
  {
    name: 'Open WebUI',
    conversation: 'open-webui:w-1',
    ask: list => openai(list, webui),
    beside: (_, turn) => [
      ...(turn === 1 ? [task('Generate a concise, 3-5 word title with an emoji')] : []),
      task('Suggest 3-5 relevant follow-up questions'),
      task('Generate 1-3 broad tags'),
    ],
  },
  {
    name: 'Home Assistant',
    ask: list =>
      ollama(
        [
          { role: 'system', content: `The time is ${list.length}. Devices: lamp.` },
          ...list.slice(-41),
        ],
        {
          options: { num_ctx: 8192 },
          keep_alive: -1,
          think: false,
        },
      ),
  },
  {
    name: 'opencode',
    conversation: 'session:ses_1',
    ask: list => openai(list, opencode, { tools: [tool] }),
    beside: (list, turn) =>
      turn > 1
        ? []
        : [
            openai(
              [
                { role: 'system', content: 'You are a title generator. You output ONLY a title.' },
                user('Generate a title for this conversation:\n'),
                ...list.slice(0, 1),
              ],
              opencode,
            ),
          ],
  },
  {
    name: 'Zed',
    ask: list => ollama(list, { options: { num_ctx: 16_384 } }),
    beside: (list, turn) =>
      turn === 1
        ? [
            ollama([
              ...list,
              user(
                'Generate a concise 3-7 word title for this conversation, omitting punctuation.',
              ),
            ]),
          ]
        : [],
  },
  {
    name: 'Codex, on chat completions',
    conversation: 'codex:t-1',
    ask: list => openai(list, { 'thread-id': 't-1' }, { tools: [tool] }),
    shrink: (list, turn) =>
      turn === 15
        ? [user('Another language model started this task. Its summary: all went well.')]
        : list,
    lines: 2,
  },
  {
    name: 'Claude Code',
    conversation: 'claude-code:cc-1',
    ask: list => ({
      path: '/v1/messages?beta=true',
      headers: claude,
      body: {
        model: 'm',
        max_tokens: 1000,
        stream: true,
        system: [
          { type: 'text', text: `x-anthropic-billing-header: cc_version=2.0; cch=${list.length}` },
          { type: 'text', text: 'You are a careful programmer.' },
        ],
        messages: list,
      },
    }),
    shrink: (list, turn) =>
      turn === 20
        ? [user('This session is continued from a previous conversation. Summary: fine.')]
        : list,
    lines: 2,
  },
  {
    name: 'Cline, which cuts out the middle',
    ask: list =>
      ollama([{ role: 'system', content: 'You are Cline.' }, ...list], {
        options: { num_ctx: 32_768 },
      }),
    shrink: list => (list.length > 20 ? [...list.slice(0, 2), ...list.slice(-8)] : list),
  },
  { name: 'Continue, which prunes the front', ask: list => ollama(list.slice(-12)) },
  {
    name: 'n8n, with five turns',
    ask: list => ollama(list.slice(-11), { options: { num_ctx: 2048 } }),
  },
  { name: 'LobeChat, with twenty messages', ask: list => openai(list.slice(-21), {}) },
]

const tool = { type: 'function', function: { name: 'read', parameters: { type: 'object' } } }

/** Sends a request and reads the text of the streamed answer. */
async function send({ url }: StartedServer, { path, headers = {}, body }: Wire): Promise<string> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  expect(response.status, text).toBe(200)
  return /Answer number \d+\./.exec(text)![0]
}

/** Talks for some turns. Returns everything that was said, whatever the client kept of it. */
async function talk(
  server: StartedServer,
  client: KnownClient,
  turns: number,
): Promise<readonly MessageLike[]> {
  const all: MessageLike[] = []
  let list: readonly MessageLike[] = []
  for (let turn = 1; turn <= turns; turn++) {
    const asked = user(`${client.name}: question ${turn}`)
    list = [...list, asked]
    const answer = { role: 'assistant', content: await send(server, client.ask(list)) }
    list = [...list, answer]
    all.push(asked, answer)
    for (const wire of client.beside?.(list, turn) ?? []) await send(server, wire)
    list = client.shrink?.(list, turn) ?? list
  }
  return all
}

const contentsOf = (messages: readonly MessageLike[]) => messages.map(({ content }) => content)

/** The lines of a client's conversation: what was asked beside it is left out. */
async function check({ history }: StartedServer, client: KnownClient, all: readonly MessageLike[]) {
  const found: { conversation: string; line: readonly unknown[] }[] = []
  for (const { conversation, threads } of await history.conversations())
    for (const { branch } of threads) {
      const line = contentsOf(await history.thread(conversation, { branch }).messages())
      const isSide = line.some(text => /### Task:|Generate a (title|concise)/.test(String(text)))
      if (!isSide && line.some(text => String(text).startsWith(client.name)))
        found.push({ conversation, line })
    }
  const names = new Set(found.map(({ conversation }) => conversation))
  expect([...names]).toHaveLength(1)
  if (client.conversation !== undefined) expect([...names]).toEqual([client.conversation])
  expect(found).toHaveLength(client.lines ?? 1)
  const said = found.flatMap(({ line }) => line)
  for (const content of contentsOf(all))
    expect(said.filter(one => one === content)).toEqual([content])
  // The newest line ends with the newest answer, and nothing stands in it twice.
  expect(found.map(({ line }) => line.at(-1))).toContain(all.at(-1)!.content)
  if (!client.lines) expect(found[0]!.line).toEqual(contentsOf(all))
}

const turns = process.env.THROUGHLINE_LONG ? 60 : 22

it.each(clients.map(client => [client.name, client] as const))(
  '%s has one conversation over all turns',
  async (_, client) => {
    const server = await startServer({ upstream: numbered() })
    await check(server, client, await talk(server, client, turns))
  },
)

it.each(await someStores())(
  'are kept apart when they all talk at once, on %s',
  async (_, create) => {
    const server = await startServer({ store: create(), upstream: numbered() })
    const said = await Promise.all(clients.map(client => talk(server, client, turns)))
    for (const [n, client] of clients.entries()) await check(server, client, said[n]!)
  },
)
