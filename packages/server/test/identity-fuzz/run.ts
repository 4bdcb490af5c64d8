import { memoryStore } from '@throughline/stores/memory'
import { openaiAnswer, startUpstream } from '@throughline/test-tools/scripted-upstream'
import { storeWaitMs } from '@throughline/test-tools/start-server'
import { onTestFinished } from 'vitest'
import { createServer } from '../../src/create-server.ts'
import { openaiUpstream } from '../../src/upstream/model-servers.ts'
import { createRandom } from '../random.ts'
import { type AdapterName, clientAdapters, type Part, type Reply, type Said } from './adapters.ts'
import { type Style, styles } from './styles.ts'

/** In what the chats of a family differ. */
const kinds = [
  'alone',
  'alone',
  'alone',
  'files',
  'arguments',
  'results',
  'nothing at first',
  'preamble',
] as const
type Kind = (typeof kinds)[number]

interface Chat {
  readonly id: number
  readonly family: number
  readonly kind: Kind
  readonly style: Style
  readonly adapter: AdapterName
  readonly list: Said[]
  turns: number
  place?: string
}

export interface Figures {
  exchanges: number
  /** Requests at which the model got something of another chat, or a file that was replaced. */
  foreign: string[]
  /** Requests at which the model did not get a file that the client had just sent. */
  lost: string[]
  /** Exchanges that did not go on where the chat was, though nothing was left out that tells it from another. */
  splits: string[]
  /** The same of chats of which something was left out that would tell them apart. */
  unclear: number
  styles: Set<string>
  adapters: Set<string>
}

type Fetch = (request: Request) => Promise<Response>

/** Talks in many chats at once with a server, and looks at what the model gets. `through`: stands before the server. */
export async function runFuzz(
  exchanges: number,
  { seed, through = fetch => fetch }: { seed: number; through?: (fetch: Fetch) => Fetch },
): Promise<Figures> {
  const random = createRandom(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const figures: Figures = {
    exchanges: 0,
    foreign: [],
    lost: [],
    splits: [],
    unclear: 0,
    styles: new Set(),
    adapters: new Set(),
  }
  const owners = new Map<string, Chat | 'replaced'>()
  let current: Chat
  let sent = ''
  const script = await startUpstream(({ path, body }) => {
    if (!path.endsWith('/chat/completions')) return { status: 404, body: {} }
    sent = JSON.stringify(body)
    return openaiAnswer(
      ...answerTo(current, (body as { messages: readonly { role: string }[] }).messages),
    )
  })
  const upstream = openaiUpstream({ url: script.url, window: 200_000 })
  let [time, ids] = [1_700_000_000_000, 0]
  const server = createServer({
    ...{
      store: memoryStore(),
      storeWaitMs,
      upstream,
      now: () => ++time,
      newId: () => `id-${++ids}`,
    },
  })
  onTestFinished(async () => {
    await server.close()
    await upstream.close()
    await script.close()
  })
  const fetch = through(request => server.fetch(request))

  /** Sends the list of a chat as its client does; returns where it was kept. */
  async function send(chat: Chat): Promise<string> {
    current = chat
    const adapter = clientAdapters[chat.adapter]
    const { isNamed, dropsSystem } = chat.style
    const system = dropsSystem && random() < 0.5 ? '' : 'You are helpful.'
    const response = await fetch(
      new Request(`http://127.0.0.1${adapter.path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(isNamed && { 'x-openwebui-chat-id': `chat-${chat.id}` }),
        },
        body: JSON.stringify(adapter.body(chat.style.send(chat.list), system)),
      }),
    )
    const text = await response.text()
    if (response.status !== 200)
      throw new Error(`${chat.adapter}: ${response.status} ${text.slice(0, 300)}`)
    look(chat)
    chat.list.push(adapter.reply(JSON.parse(text) as never))
    const header = (name: string) => response.headers.get(`x-throughline-${name}`)
    return `${header('conversation')}/${header('branch')}`
  }

  /** Looks at what the model got. */
  function look(chat: Chat): void {
    figures.exchanges += 1
    figures.styles.add(chat.style.name)
    figures.adapters.add(chat.adapter)
    const where = `${chat.style.name} on ${chat.adapter}, ${chat.kind}, turn ${chat.turns}`
    const words = sent.match(/z[cf]\d+z/g) ?? []
    const isOwn = (word: string) => word === `zc${chat.id}z` || word === `zf${chat.family}z`
    const files: readonly string[] = sent.match(/(?<=base64,)[^"]+/g) ?? []
    if (!words.every(isOwn) || files.some(file => owners.get(file) !== chat))
      figures.foreign.push(where)
    const given = chat.style
      .send(chat.list)
      .flatMap(said => (said.role === 'user' ? said.parts : []))
    if (!given.flatMap(fileOf).every(file => files.includes(file))) figures.lost.push(where)
  }

  function count(chat: Chat, place: string, isSame: boolean): void {
    const isSplit = isSame && chat.place !== undefined && chat.place !== place
    chat.place = place
    if (!isSplit) return
    if (canBeTold(chat))
      figures.splits.push(`${chat.style.name} on ${chat.adapter}, ${chat.kind}, turn ${chat.turns}`)
    else figures.unclear += 1
  }

  function newFile(chat: Chat): Part {
    const file = Buffer.from(
      `\x89PNG\r\n\x1a\n of chat ${chat.id}, number ${owners.size}`,
    ).toString('base64')
    owners.set(file, chat)
    return chat.adapter !== 'ollama' && random() < 0.4 ? { file } : { image: file }
  }

  async function say(chat: Chat): Promise<void> {
    chat.turns += 1
    const isFiled = chat.kind === 'files' ? chat.turns !== 2 : random() < 0.25 && mayDiffer(chat)
    const words = { text: `Quéstion ${chat.turns} of ${wordOf(chat)}?\n` }
    // Twins must say the same.
    const hasMore = chat.turns % 3 === 0
    const parts = [words, ...(hasMore ? [{ text: 'And one thing more.' }] : [])]
    chat.list.push({ role: 'user', parts: [...parts, ...(isFiled ? [newFile(chat)] : [])] })
    await answered(chat, true)
  }

  /** Replaces the file of the newest message, and asks again. */
  async function edit(chat: Chat): Promise<void> {
    const at = chat.list.findLastIndex(({ role }) => role === 'user')
    const { parts } = chat.list[at] as Extract<Said, { role: 'user' }>
    for (const file of parts.flatMap(fileOf)) owners.set(file, 'replaced')
    chat.list.splice(at, Infinity, {
      role: 'user',
      parts: [...parts.filter(part => 'text' in part), newFile(chat)],
    })
    await answered(chat, false)
  }

  async function answered(chat: Chat, isSame: boolean): Promise<void> {
    count(chat, await send(chat), isSame)
    for (;;) {
      const { calls } = chat.list.at(-1) as Reply
      if (calls.length === 0) return
      for (const { id, name } of calls)
        chat.list.push({ role: 'tool', id, name, text: resultOf(chat) })
      count(chat, await send(chat), true)
    }
  }

  const chats: Chat[] = []
  let families = 0
  function begin(): void {
    const kind = pick(kinds)
    const family = ++families
    const isTwin = kind !== 'alone'
    for (let member = 0; member < (isTwin ? 2 + Math.floor(random() * 2) : 1); member++) {
      const style = pick(styles.filter(({ isPlain }) => !isPlain || !hasCalls(kind)))
      const adapter = pick(style.adapters ?? (Object.keys(clientAdapters) as AdapterName[]))
      const list: Said[] = kind === 'preamble' ? [...preamble] : []
      chats.push({ id: chats.length, family, kind, style, adapter, list, turns: 0 })
    }
  }
  const mostTurns = 9
  while (figures.exchanges < exchanges) {
    const open = chats.filter(({ turns }) => turns < mostTurns)
    if (open.length < 12) begin()
    const chat = pick(chats.filter(({ turns }) => turns < mostTurns))
    const newest = chat.list.findLast(({ role }) => role === 'user')
    const isEditable =
      chat.turns > 0 &&
      !chat.style.leavesOut &&
      newest?.role === 'user' &&
      newest.parts.some(part => !('text' in part))
    await (isEditable && random() < 0.2 ? edit(chat) : say(chat))
  }
  return figures
}

const preamble: readonly Said[] = [
  { role: 'user', parts: [{ text: 'This is the folder. Answer in one line.' }] },
  { role: 'assistant', text: 'Understood.', thinking: '', calls: [] },
]

/** The word of a chat that it shares with its twins as long as they say the same. */
function wordOf({ kind, id, family, turns }: Chat): string {
  const isOwn =
    kind === 'alone' || kind === 'preamble' || (kind === 'nothing at first' && turns > 2)
  return isOwn ? `zc${id}z` : `zf${family}z`
}

/** Whether a chat may send what its twins do not. */
const mayDiffer = ({ kind, turns }: Chat) =>
  kind === 'alone' ||
  kind === 'preamble' ||
  kind === 'files' ||
  (kind === 'nothing at first' && turns > 2)

/** Whether the list of a chat tells it from its twins. */
const canBeTold = ({ kind, style: { leavesOut } }: Chat) => {
  if (kind === 'alone' || leavesOut === undefined) return kind !== 'nothing at first'
  const isLost = leavesOut === kind || (leavesOut === 'rounds' && hasCalls(kind))
  return kind === 'preamble' || (kind !== 'nothing at first' && leavesOut !== 'front' && !isLost)
}

const hasCalls = (kind: Kind) => kind === 'arguments' || kind === 'results'

const fileOf = (part: Part) => ('text' in part ? [] : ['image' in part ? part.image : part.file])

function resultOf(chat: Chat): string {
  const word = chat.kind === 'results' ? `zc${chat.id}z` : wordOf(chat)
  return `Found ${word} here.\n${`line of ${word}\n`.repeat(chat.turns % 2 === 0 ? 2 : 60)}`
}

/** What the model answers. Twins get the same words. */
function answerTo(
  chat: Chat,
  messages: readonly { readonly role: string }[],
): Parameters<typeof openaiAnswer> {
  const word = wordOf(chat)
  const thought = { reasoning_content: `A thought on ${word}. ` }
  const calls = hasCalls(chat.kind)
    ? chat.turns % 2 === 1
    : chat.turns % 4 === 0 && !chat.style.isPlain
  if (!calls || messages.at(-1)?.role === 'tool')
    return [[thought, { content: `Réponse ${chat.turns} for ${word}.\n\nThat is all.\n` }]]
  const input = {
    path: `/a/${chat.kind === 'arguments' ? `zc${chat.id}z` : word}`,
    depth: 2,
    filter: '',
  }
  const call = { index: 0, id: `call_${word}_${chat.turns}`, type: 'function' }
  const named = { ...call, function: { name: 'look', arguments: JSON.stringify(input) } }
  return [[thought, { content: 'Let me look.' }, { tool_calls: [named] }], { finish: 'tool_calls' }]
}
