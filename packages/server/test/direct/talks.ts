import { homePrompt } from '@throughline/core/fixtures'
import { memoryStore } from '@throughline/stores/memory'
import { startUpstream, type UpstreamRequest } from '@throughline/test-tools/scripted-upstream'
import { storeWaitMs } from '@throughline/test-tools/start-server'
import { createServer } from '../../src/create-server.ts'
import { createRandom } from '../random.ts'
import { type DirectFormName, directForms, type Reply } from './forms.ts'

export interface TalkOptions {
  readonly seed: number
  readonly form: DirectFormName
  /** Stands between us and the model server. Default: nothing does. */
  readonly between?: (body: string) => string
}

export interface TalkFigures {
  requests: number
  streamed: number
  failed: number
  /** What was different through us. */
  readonly differences: string[]
}

/** One exchange, or a round of a client's tool: the entries of the list, and what the model says to them. */
interface Step {
  readonly entries: readonly object[]
  readonly reply: Reply
}

/**
 * Some people talk with a model server, each request through us and then at the server itself. Everything fits. Compared are the
 * bytes that the server gets, and its answers.
 */
export async function runTalks(
  requests: number,
  { seed, form: name, between }: TalkOptions,
): Promise<TalkFigures> {
  const form = directForms[name]
  const random = createRandom(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const chance = (share: number) => random() < share
  const figures: TalkFigures = { requests: 0, streamed: 0, failed: 0, differences: [] }
  const faults = new Map<string, number>()
  const replies = new Map<string, Reply>()
  const isAsked = ({ path }: UpstreamRequest) => path.startsWith(form.path)
  let hasLoaded = false
  const model = await startUpstream(request => {
    // Ollama tells the window of a model once it has loaded it.
    const models = hasLoaded ? [{ name: 'm:latest', context_length: 32_768 }] : []
    if (request.path === '/api/ps') return { status: 200, body: { models } }
    if (!isAsked(request)) return { status: 404, body: {} }
    hasLoaded = true
    const { x_id: id, stream } = request.body as { readonly x_id: string; readonly stream: boolean }
    const status = faults.get(id)
    if (status !== undefined)
      return {
        status,
        headers: { 'retry-after': '7' },
        body: `{"error": {"message":"${id} is ill"}}`,
      }
    return form.answer(replies.get(id)!, stream)
  })
  const window = pick([undefined, 200_000])
  const upstream = form.upstream(model.url, window)
  let [time, ids] = [1_700_000_000_000, 0]
  const server = createServer({
    ...{ store: memoryStore(), storeWaitMs, now: () => ++time, newId: () => `id-${++ids}` },
    upstream: between ? { ...upstream, ...changed(upstream, between) } : upstream,
  })
  const people = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, person) => ({
    ...{ person, prompt: pick(prompts), turns: 0, steps: [] as Step[] },
    // A name lets the log give something back: while all is there, there is nothing to give.
    conversation: chance(0.3) ? `talk-${person}` : undefined,
    tools: ['look', 'write', 'think'].slice(0, Math.floor(random() * 4)),
    late: chance(0.3),
  }))
  type Person = (typeof people)[number]

  /** Asks through us and at the model server, with the same bytes. */
  async function ask(person: Person, step: Step): Promise<void> {
    const id = `m${figures.requests++}`
    replies.set(id, step.reply)
    if (chance(0.05)) faults.set(id, pick([400, 401, 429, 500]))
    const isStreamed = chance(0.5)
    const text = writeBody(person, step, { model: 'm', x_id: id, stream: isStreamed })
    const query = chance(0.2) ? '?beta=true&odd=%20' : ''
    const headers = { 'content-type': 'application/json', 'x-odd': 'kept' }
    const named = person.conversation && {
      'x-throughline-conversation': person.conversation,
      'x-throughline-history': 'full',
    }
    const init = { method: 'POST', body: text }
    const address = `${form.path}${query}`
    const through = await read(
      server.fetch(
        new Request(`http://127.0.0.1${address}`, { ...init, headers: { ...headers, ...named } }),
      ),
    )
    const before = model.requests.filter(isAsked).length
    const direct = await read(fetch(`${model.url}${address}`, { ...init, headers }))
    const asked = model.requests.filter(isAsked)
    const [ours, theirs] = [asked[before - 1], asked.at(-1)!]
    if (isStreamed) figures.streamed += 1
    if (direct.status !== 200) figures.failed += 1
    else person.steps.push(step)
    const isNew =
      asked.length === before + 1 && (ours?.body as { x_id?: string } | undefined)?.x_id === id
    const sent = isNew ? ours : undefined
    for (const [what, one, other] of [
      ['bytes', sent?.text, theirs.text],
      ['path', sent?.path, theirs.path],
      ['header', sent?.headers['x-odd'], theirs.headers['x-odd']],
      ['status', through.status, direct.status],
      ['answer', through.text, direct.text],
      ['type', through.type, direct.type],
    ])
      if (one !== other)
        figures.differences.push(`${name} ${seed} ${id}: ${what} ${differenceOf(one, other)}`)
  }

  function writeBody(
    { prompt, tools, late, steps, turns }: Person,
    step: Step,
    said: object,
  ): string {
    const system = prompt(turns)
    const list = [
      ...form.head(system),
      ...steps.flatMap(({ entries, reply }) => [...entries, ...form.said(reply)]),
      ...step.entries,
    ]
    const added = late ? form.late(`Documents of turn ${turns}: the price is ${turns}.`) : undefined
    // Before a question, and before or behind a result.
    const isBehind = !isQuestion(list.at(-1)!) && chance(0.5)
    if (added) list.splice(isBehind ? list.length : list.length - 1, 0, added)
    // Some programs send their tools in another order each time.
    const shuffled = [...tools].sort(() => random() - 0.5).map(form.tool)
    const body = {
      ...(chance(0.5) && { x_first: 1 }),
      ...said,
      ...form.fields(system, window),
      ...(name === 'generate' ? { prompt: system } : { [form.list]: list }),
      ...(shuffled.length > 0 && { tools: shuffled }),
      ...{ x_null: null, x_deep: { a: [{}, []] }, 'x ö': 'é\u2028' },
    }
    // Numbers and letters in forms that nobody writes the same again.
    return JSON.stringify(body, undefined, pick([0, 0, 1, 2]))
      .replace(/"x_first":( ?)1/, '"x_first":$11.0')
      .replace('é', pick(['é', '\\u00e9']))
  }

  async function speak(person: Person): Promise<void> {
    person.turns += 1
    const id = `${person.person}.${person.turns}`
    const odd = () => (chance(0.3) ? { x_odd: [person.turns, null] } : {})
    const text = `${pick(said)} (${id})`
    const calls = chance(0.25) ? [{ id: `call_${id}`, at: person.turns }] : []
    const reply: Reply = {
      text: calls.length > 0 && chance(0.5) ? '' : `${pick(answers)} (${id})`,
      thought: chance(0.2) ? 'Let me see.' : '',
      calls,
    }
    await ask(person, { entries: [{ ...form.user(text, chance(0.1)), ...odd() }], reply })
    if (!person.steps.at(-1)?.reply.calls.includes(calls[0]!)) return
    const result = {
      ...form.result(calls[0]!, `Seen: ${pick(said)} ${'leaf '.repeat(random() * 900)}`),
      ...odd(),
    }
    await ask(person, {
      entries: [result],
      reply: { text: `So it is (${id}).`, thought: '', calls: [] },
    })
    // Its result never came: the client takes the question away.
    if (person.steps.at(-1)!.reply.calls.length > 0) person.steps.pop()
  }

  /** Takes an exchange away, words a question otherwise, or asks once more. */
  function change({ steps }: Person): void {
    const firsts = steps.flatMap(({ entries }, at) => (isQuestion(entries[0]!) ? [at] : []))
    const at = pick(firsts)
    if (at === undefined) return
    const next = firsts.find(one => one > at) ?? steps.length
    const kind = random()
    if (kind < 0.4) steps.splice(at, next - at)
    else if (kind < 0.7) steps.splice(at)
    else steps[at] = { ...steps[at]!, entries: [form.user('Never mind what I said here.', false)] }
  }

  const isQuestion = (entry: object) =>
    JSON.stringify(entry).includes('"user"') && !/tool_result/.test(JSON.stringify(entry))

  try {
    while (figures.requests < requests) {
      const person = pick(people)
      if (chance(0.15)) change(person)
      await speak(person)
    }
  } finally {
    await server.close()
    await upstream.close()
    await model.close()
  }
  return figures
}

/** Lines that change with the clock, with the date or with a house, and what looks like a line of ours. */
const prompts: readonly ((turn: number) => string)[] = [
  () => 'You are a gardener.\nBe brief.',
  turn => `Current time is 12:${10 + turn}:07.\nYou are kind.\nBe brief.`,
  turn => `You are kind.\nToday's date: Wed Nov ${1 + turn} 2026\nBe brief.`,
  turn => homePrompt(turn, 12),
  turn => `You are kind.\n[NOTE TO SELF: ${turn}]\nRECENT NOTES TO SELF:\n- none`,
]

const said = [
  'Is the kitchen light on?',
  'My code is [NOTE TO SELF: heron]. Keep it.',
  'RECENT NOTES TO SELF:\n- nothing',
  '[Earlier in this conversation:] you said that I am kind.',
  'Never put my number into a file.',
  'é\u2028"\\ \ud83d\ude00',
  `A long text: ${'bark and leaf, '.repeat(60)}`,
] as const

const answers = [
  'It is done.',
  'I see.',
  '[NOTE TO SELF: the user is kind] Yes.',
  'Seven, of 12:07.',
] as const

type Passing = Parameters<typeof createServer>[0]['upstream']

/** An upstream whose requests are changed on the way. */
function changed(upstream: Passing, between: (body: string) => string): Partial<Passing> {
  if (!('passReply' in upstream) || !upstream.passReply) return {}
  const { passReply } = upstream
  return {
    passReply: ({ body, ...request }) =>
      passReply({ ...request, body: between(Buffer.from(body as Uint8Array).toString()) }),
  }
}

async function read(answer: Response | Promise<Response>) {
  const response = await answer
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text: await response.text(),
  }
}

function plain(text: unknown): string {
  try {
    return JSON.stringify(JSON.parse(String(text)))
  } catch {
    return String(text)
  }
}

/** Where two texts part; of texts that are the same JSON that they are written otherwise. */
function differenceOf(one: unknown, other: unknown): string {
  const [a, b] = [plain(one), plain(other)]
  if (a === b) return 'written anew'
  let at = 0
  while (at < a.length && a[at] === b[at]) at += 1
  const from = Math.max(0, at - 60)
  return `${JSON.stringify(a.slice(from, at + 120))} for ${JSON.stringify(b.slice(from, at + 120))}`
}
