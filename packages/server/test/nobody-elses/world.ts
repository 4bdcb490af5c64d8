import { choosePolicy, policyNames } from '@throughline/core/context'
import { memoryStore } from '@throughline/stores/memory'
import { openaiAnswer, startUpstream } from '@throughline/test-tools/scripted-upstream'
import { storeWaitMs } from '@throughline/test-tools/start-server'
import { createServer } from '../../src/create-server.ts'
import { openaiUpstream } from '../../src/upstream/model-servers.ts'
import {
  type AdapterName,
  clientAdapters,
  type Reply,
  type Said,
} from '../identity-fuzz/adapters.ts'
import { createRandom } from '../random.ts'

export type Fetch = (request: Request) => Promise<Response>

export interface WorldOptions {
  readonly seed: number
  /** Stands before the server. Default: nothing does. */
  readonly through?: (fetch: Fetch) => Fetch
}

export interface WorldFigures {
  requests: number
  /** Requests of which the model read a word that they do not hold. */
  readonly foreign: string[]
  readonly faces: Set<AdapterName>
  readonly places: Set<Place>
  streamed: number
  /** Requests whose answer broke off. */
  broken: number
  /** Requests that were fitted: the model did not get all of their messages. */
  cut: number
}

/** Where an application puts what it knows of a person, anew in each request. */
const places = [
  'nowhere',
  'inside the prompt',
  'before the question',
  'behind the question',
] as const
type Place = (typeof places)[number]

interface Person {
  readonly id: number
  readonly face: AdapterName
  readonly place: Place
  /** How many of the newest messages the application sends. */
  readonly most: number
  readonly list: Said[]
  turns: number
}

const wordOf = ({ id }: Person, what: string | number) => `zp${id}w${what}z`
const wordsIn = (text: string): ReadonlySet<string> => new Set(text.match(/zp\d+w[a-z\d]+z/g))

/** What everybody may say; the model answers each in the same words. */
const greetings = ['Hello.', 'Good morning.', 'Thanks.', 'Go on.', 'What do you know of me?']
const answers = ['Hello! How can I help?', 'I see.', 'I have noted that.']

/**
 * Two to five people talk with one model, through one application that names neither them nor their conversations. What only one
 * of them may say or read holds a word of theirs.
 */
export async function runWorld(
  requests: number,
  { seed, through = fetch => fetch }: WorldOptions,
): Promise<WorldFigures> {
  const random = createRandom(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const figures: WorldFigures = {
    ...{ requests: 0, streamed: 0, broken: 0, cut: 0 },
    ...{ foreign: [], faces: new Set(), places: new Set() },
  }
  /** The bodies that reached the model, by the number of the request that its model's name holds. */
  const sent = new Map<string, string[]>()
  const replies = new Map<string, Reply>()
  /** The requests whose answer breaks off behind its first words. */
  const breaking = new Set<string>()
  const model = await startUpstream(({ path, text, body }) => {
    if (!path.endsWith('/chat/completions')) return { status: 404, body: {} }
    const { model } = body as { readonly model: string }
    sent.set(model, [...(sent.get(model) ?? []), text])
    const answer = answerOf(replies.get(model)!)
    return breaking.has(model)
      ? { ...answer, chunks: answer.chunks.slice(0, 1), ending: 'reset' }
      : answer
  })
  const upstream = openaiUpstream({ url: model.url, window: pick([1_000, 2_000, 4_096, 200_000]) })
  let [time, ids] = [1_700_000_000_000, 0]
  const server = createServer({
    ...{
      store: memoryStore(),
      storeWaitMs,
      upstream,
      now: () => ++time,
      newId: () => `id-${++ids}`,
    },
    policy: choosePolicy(pick(policyNames)),
  })
  const fetch = through(request => server.fetch(request))
  const hasOneFace = random() < 0.7
  const face = pick(Object.keys(clientAdapters) as AdapterName[])
  const people = Array.from(
    { length: 2 + Math.floor(random() * 4) },
    (_, id): Person => ({
      ...{ id, list: [], turns: 0, place: pick(places), most: pick([4, 6, 1_000, 1_000]) },
      face: hasOneFace ? face : pick(Object.keys(clientAdapters) as AdapterName[]),
    }),
  )

  async function ask(person: Person): Promise<void> {
    const name = `m${figures.requests++}`
    const newest = person.list.at(-1)!
    const mayCall = newest.role === 'user' && random() < 0.15
    const reply: Reply = {
      ...{
        role: 'assistant',
        thinking: random() < 0.2 ? `A thought on ${wordOf(person, 'thought')}.` : '',
      },
      text: mayCall
        ? ''
        : random() < 0.2
          ? `Noted: ${wordOf(person, person.turns)}.`
          : pick(answers),
      calls: mayCall
        ? [{ id: pick(['call_1', `call_${name}`]), name: 'look', input: '{"path":"/a"}' }]
        : [],
    }
    replies.set(name, reply)
    if (random() < 0.06) breaking.add(name)
    const isStreamed = random() < 0.5
    const body = JSON.stringify({ ...bodyOf(person), model: name, stream: isStreamed })
    const { path } = clientAdapters[person.face]
    const response = await fetch(
      new Request(`http://127.0.0.1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      }),
    )
    const text = await response.text().catch(() => '')
    if (breaking.has(name)) {
      figures.broken += 1
      // The application shows the part, or nothing.
      if (!mayCall && random() < 0.5) person.list.push(reply)
    } else if (response.status !== 200) {
      // What must be sent does not fit a small window.
      if (!text.includes('window'))
        throw new Error(`${person.face}: ${response.status} ${text.slice(0, 300)}`)
      person.list.pop()
      return
    } else person.list.push(reply)
    figures.faces.add(person.face)
    figures.places.add(person.place)
    if (isStreamed) figures.streamed += 1
    const allowed = wordsIn(body)
    const bodies = sent.get(name) ?? []
    if (!bodies[0] || [...allowed].some(word => !bodies[0]!.includes(word))) figures.cut += 1
    // A thought of one's own goes with the call that it led to, where the id of the call tells whose it is.
    const thought = person.list.some(said => 'calls' in said && said.calls.length > 0)
      ? wordOf(person, 'thought')
      : ''
    for (const word of bodies.flatMap(one => [...wordsIn(one)]))
      if (!allowed.has(word) && word !== thought)
        figures.foreign.push(
          `seed ${seed}: ${word} in ${name} of ${person.id} (${person.face}, ${person.place})`,
        )
  }

  /** The body of an application: what it knows of the person comes anew each time. */
  function bodyOf(person: Person): Readonly<Record<string, unknown>> {
    const { face, place, list, most } = person
    const window = list.slice(-most)
    const isCut = window[0]?.role === 'tool' || window[0]?.role === 'assistant'
    const shown = window.slice(isCut ? window.findIndex(({ role }) => role === 'user') : 0)
    const file = `FILE: ${wordOf(person, `file${person.turns}`)} earns 48,000.`
    const system =
      place === 'inside the prompt' ? `You are helpful.\n\n${file}` : 'You are helpful.'
    const body = clientAdapters[face].body(shown, system) as Record<string, unknown>
    if (place !== 'before the question' && place !== 'behind the question') return body
    const field = face === 'responses' ? 'input' : 'messages'
    const messages = [...(body[field] as readonly { readonly role?: string }[])]
    const role =
      face === 'messages' ? 'user' : random() < 0.2 && face !== 'ollama' ? 'developer' : 'system'
    const last = messages.findLastIndex(({ role }) => role === 'user')
    messages.splice(place === 'before the question' ? last : last + 1, 0, {
      role,
      content: file,
    } as object)
    return { ...body, [field]: messages }
  }

  async function speak(person: Person): Promise<void> {
    const { list } = person
    person.turns += 1
    const isOwn = random() < 0.5
    const long = random() < 0.2 ? ` ${`All about ${wordOf(person, 'long')}. `.repeat(40)}` : ''
    const text = isOwn ? `My code is ${wordOf(person, person.turns)}.${long}` : pick(greetings)
    list.push({ role: 'user', parts: [{ text }] })
    await ask(person)
    const { calls } = (list.at(-1) ?? {}) as Partial<Reply>
    if (!calls?.length) return
    const [{ id, name }] = calls as [Reply['calls'][number]]
    list.push({ role: 'tool', id, name, text: `Result: ${wordOf(person, `r${person.turns}`)}.` })
    await ask(person)
  }

  /** Takes away an exchange, or words a message otherwise, as a person does in an application. */
  function change({ list, id }: Person): void {
    const users = list.flatMap(({ role }, at) => (role === 'user' ? [at] : []))
    const at = pick(users)
    if (at === undefined) return
    const next = users.find(user => user > at) ?? list.length
    if (random() < 0.6) list.splice(at, next - at)
    else
      list[at] = {
        role: 'user',
        parts: [{ text: `Never mind, ${wordOf({ id } as Person, 'edit')}.` }],
      }
  }

  try {
    while (figures.requests < requests) {
      const person = pick(people)
      if (random() < 0.15) change(person)
      const other = pick(people)
      // Sometimes two speak at the same time.
      await (other !== person && random() < 0.2
        ? Promise.all([speak(person), speak(other)])
        : speak(person))
    }
  } finally {
    await server.close()
    await upstream.close()
    await model.close()
  }
  return figures
}

function answerOf({ text, thinking, calls }: Reply) {
  const thought = thinking === '' ? [] : [{ reasoning_content: thinking }]
  if (calls.length === 0) return openaiAnswer([...thought, { content: text }])
  const [{ id, name, input }] = calls as [Reply['calls'][number]]
  const call = { index: 0, id, type: 'function', function: { name, arguments: input } }
  return openaiAnswer([...thought, { tool_calls: [call] }], { finish: 'tool_calls' })
}
