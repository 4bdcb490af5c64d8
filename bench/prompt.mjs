// What does a model server read again when the system prompt changes, as Home Assistant's does, or has a date in it, as an agent's does?
import { fit } from '../dist/index.js'
import { o200k } from '../dist/tokens/o200k.js'
import { readArgs } from './lib/args.mjs'
import { formatTable } from './lib/table.mjs'

const { json } = readArgs()
const count = o200k()
const mostTurns = 100
const rooms = ['Kitchen', 'Bedroom', 'Hall', 'Office', 'Garage']
const kinds = ['light', 'climate', 'switch', 'cover']
const asked = [
  'Is the kitchen light on?',
  'Turn on the hall switch.',
  'How warm is it?',
  'And the garage?',
]

/** A clock, and 40 devices of which six change now and then. `changing`: what of it really does. */
function promptAt(turn, changing) {
  const now = new Date(
    Date.UTC(2024, 11, 20, 20, 37, 19) + (changing.clock ? turn : 0) * 47_000,
  ).toISOString()
  const devices = Array.from({ length: 40 }, (_, at) => {
    const switches = changing.devices && at % 7 === 3
    const isOn = switches ? Math.floor(turn / (2 + (at % 5))) % 2 === 1 : at % 3 === 0
    const [room, kind] = [rooms[at % rooms.length], kinds[at % kinds.length]]
    return `- names: ${room} ${kind} ${at}\n  domain: ${kind}\n  state: '${isOn ? 'on' : 'off'}'\n  areas: ${room}`
  })
  return [
    `Current time is ${now.slice(11, 19)}. Today's date is ${now.slice(0, 10)}.`,
    'You are a voice assistant for Home Assistant.',
    'Answer questions about the world truthfully.',
    'Answer in plain text. Keep it simple and to the point.',
    'When controlling Home Assistant always call the intent tools. Use HassTurnOn to lock and HassTurnOff to unlock a lock.',
    'When a user asks to turn on all devices of a specific type, ask user to specify an area.',
    'An overview of the areas and the devices in this smart home:',
    ...devices,
  ].join('\n')
}

/** The contexts of a conversation, one for each list of messages. */
function* contextsOf(lists, options) {
  let previous
  for (const messages of lists) {
    const known = previous && {
      previous,
      ...(previous.promptLayout && { promptLayout: previous.promptLayout }),
    }
    previous = fit(messages, { count, ...options, ...known })
    yield previous
  }
}

/** What a client of Home Assistant's kind sends on each turn. */
function* homeLists({ turns = mostTurns, ...changing }) {
  const chat = []
  for (let turn = 0; turn < turns; turn++) {
    chat.push({ role: 'user', content: `${asked[turn % asked.length]} (${turn})` })
    yield [{ role: 'system', content: promptAt(turn, changing) }, ...chat]
    chat.push({ role: 'assistant', content: 'I have looked at it, and seen to it.' })
  }
}

/** The tokens behind the common beginning with the prompt before, on each turn. */
function readsOf({ window = 4096, ...changing }, systemPrompt) {
  const contexts = [
    ...contextsOf(homeLists(changing), { window, reserve: 512, systemPrompt }),
  ].slice(1)
  const reads = contexts.map(({ tokens, receipt }) => tokens - receipt.prefix.tokens)
  const total = sum(contexts.map(({ tokens }) => tokens))
  const read = sum(reads)
  return {
    mean: Math.round(read / reads.length),
    median: [...reads].sort((a, b) => a - b)[reads.length >> 1],
    reuse: Number((1 - read / total).toFixed(4)),
    /** The price of input beside that of a prompt that is never cached, where cached tokens cost a tenth or a half. */
    priceTenth: Number(((read + (total - read) * 0.1) / total).toFixed(3)),
    priceHalf: Number(((read + (total - read) * 0.5) / total).toFixed(3)),
  }
}

const sum = list => list.reduce((total, one) => total + one, 0)

const [tasks, rounds] = [12, 5]

/** What an agent sends: twelve tasks of five rounds, and the date in the middle of its system prompt. `dateAt`: by task. */
function* agentLists(dateAt) {
  const chat = []
  for (let task = 0; task < tasks; task++) {
    chat.push({
      role: 'user',
      content: `Task ${task}: read the next five files, and tell what they have in common.`,
    })
    for (let round = 0; round <= rounds; round++) {
      yield [{ role: 'system', content: `${rules}\n${dateAt(task)}\n${rules}` }, ...chat]
      const id = `call_${task}_${round}`
      if (round === rounds)
        chat.push({ role: 'assistant', content: 'They have their first line in common.' })
      else
        chat.push(
          { role: 'assistant', content: '', tool_calls: [callOf(id, `src/${task}/${round}.ts`)] },
          {
            role: 'tool',
            tool_call_id: id,
            content: `export const file${id} = 'a line of a file'\n`.repeat(30),
          },
        )
    }
  }
}

const rules = Array.from(
  { length: 30 },
  (_, at) => `Rule ${at}: read a file before you change it, and say what you changed.`,
).join('\n')

const callOf = (id, path) => ({
  id,
  type: 'function',
  function: { name: 'read', arguments: JSON.stringify({ path }) },
})

/** The characters behind the common beginning with the prompt before, for each request. */
function charactersOf(dateAt, systemPrompt) {
  let [before, read, requests] = ['', 0, 0]
  for (const { messages } of contextsOf(agentLists(dateAt), { window: 65_536, systemPrompt })) {
    const text = messages.map(message => JSON.stringify(message)).join('\n')
    let same = 0
    while (same < before.length && before[same] === text[same]) same += 1
    if (before !== '') read += text.length - same
    if (before !== '') requests += 1
    before = text
  }
  return Math.round(read / requests)
}

const dates = {
  'no date': () => 'Rule: be brief.',
  "Today's date: Wed Nov 18 2026": () => "Today's date: Wed Nov 18 2026",
  'the same, and midnight after six tasks': task =>
    `Today's date: ${task < 6 ? 'Wed Nov 18' : 'Thu Nov 19'} 2026`,
  'a clock': task => `It is 12:${10 + task}.`,
}

const cases = {
  'stands still': {},
  'a clock': { clock: true },
  'a clock and six devices': { clock: true, devices: true },
  'a clock, 400 turns': { clock: true, turns: 400 },
  'a clock and six devices, 400 turns': { clock: true, devices: true, turns: 400 },
  'a clock, and all fits': { clock: true, window: 16_384 },
  'a clock and six devices, and all fits': { clock: true, devices: true, window: 16_384 },
}
const ways = ['as sent', 'when cut', 'stable']
const byWay = measure => Object.fromEntries(ways.map(way => [way, measure(way)]))
const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([name, one]) => [name, change(one)]))
const result = mapValues(cases, changing => byWay(way => readsOf(changing, way)))
const agent = mapValues(dates, dateAt => byWay(way => charactersOf(dateAt, way)))
console.log(
  json
    ? JSON.stringify({ ...result, agent }, null, 2)
    : `${toTable(result)}\n\n${agentTable(agent)}`,
)

function agentTable(agent) {
  const head = [
    "an agent's system prompt",
    ...ways.map(way => `${way}: characters read per request`),
  ]
  return formatTable([
    head,
    ...Object.entries(agent).map(([name, reads]) => [name, ...ways.map(way => String(reads[way]))]),
  ])
}

function toTable(result) {
  const head = [
    'system prompt',
    'systemPrompt',
    'read per turn',
    'median',
    'reuse %',
    'price at 0.1',
    'price at 0.5',
  ]
  const rows = Object.entries(result).flatMap(([name, ways]) =>
    Object.entries(ways).map(([way, { mean, median, reuse, priceTenth, priceHalf }]) => [
      ...[name, way, String(mean), String(median), (reuse * 100).toFixed(1)],
      ...[priceTenth.toFixed(2), priceHalf.toFixed(2)],
    ]),
  )
  return formatTable([head, ...rows])
}
