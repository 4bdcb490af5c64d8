// What does a model server read again on each turn when the system prompt changes, as Home Assistant's does?
import { fit } from '../dist/index.js'
import { o200k } from '../dist/tokens/o200k.js'
import { readArgs } from './lib/args.mjs'
import { formatTable } from './lib/table.mjs'

const { json } = readArgs()
const count = o200k()
const turns = 100
const rooms = ['Kitchen', 'Bedroom', 'Hall', 'Office', 'Garage']
const kinds = ['light', 'climate', 'switch', 'cover']
const asked = ['Is the kitchen light on?', 'Turn on the hall switch.', 'How warm is it?', 'And the garage?']

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

/** The tokens behind the common beginning with the prompt before, on each turn. */
function readsOf(changing, systemPrompt, known) {
  const chat = []
  const reads = []
  let total = 0
  let previous
  let layout = known
  for (let turn = 0; turn < turns; turn++) {
    chat.push({ role: 'user', content: `${asked[turn % asked.length]} (${turn})` })
    const messages = [{ role: 'system', content: promptAt(turn, changing) }, ...chat]
    const options = { window: 4096, reserve: 512, count, systemPrompt }
    previous = fit(messages, {
      ...options,
      ...(layout && { promptLayout: layout }),
      ...(previous && { previous }),
    })
    layout = previous.promptLayout
    if (turn > 0) {
      reads.push(previous.tokens - previous.receipt.prefix.tokens)
      total += previous.tokens
    }
    chat.push({ role: 'assistant', content: 'I have looked at it, and seen to it.' })
  }
  const read = reads.reduce((sum, one) => sum + one, 0)
  return {
    mean: Math.round(read / reads.length),
    median: [...reads].sort((a, b) => a - b)[reads.length >> 1],
    reuse: Number((1 - read / total).toFixed(4)),
    /** The price of input beside that of a prompt that is never cached, where cached tokens cost a tenth or a half. */
    priceTenth: Number(((read + (total - read) * 0.1) / total).toFixed(3)),
    priceHalf: Number(((read + (total - read) * 0.5) / total).toFixed(3)),
    layout,
  }
}

const cases = {
  'stands still': {},
  'a clock': { clock: true },
  'a clock and six devices': { clock: true, devices: true },
}
const result = {}
for (const [name, changing] of Object.entries(cases)) {
  const stable = readsOf(changing, 'stable')
  result[name] = {
    'as sent': withoutLayout(readsOf(changing, 'as sent')),
    stable: withoutLayout(stable),
    'stable, known from an earlier conversation': withoutLayout(
      readsOf(changing, 'stable', { heads: stable.layout.heads }),
    ),
  }
}
console.log(json ? JSON.stringify(result, null, 2) : toTable(result))

function withoutLayout({ layout: _, ...figures }) {
  return figures
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
