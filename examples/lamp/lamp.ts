/**
 * A lamp with 172 LEDs that is driven by talking to it, by a small model in a window of 4096 tokens. The last two
 * exchanges travel whole, older ones as one line each, and the current program always in full: so a follow-up edits it.
 *
 * Runs with the built-in reader, which is taught to drive a lamp; with a model of your own: `--ollama llama3.2`.
 */
import { createHistory, memoryStore, tiered } from 'throughline'
import { createChat } from 'throughline/chat'
import { summarizeProgram } from 'throughline/digests'
import { ollama, reader } from 'throughline/models'
import { lampAnswer } from './lamp-program.ts'

const at = process.argv.indexOf('--ollama')
const name = at < 0 ? undefined : process.argv[at + 1]
const model = name ? ollama({ model: name, window: 4096 }) : reader({ window: 4096, answers: [lampAnswer] })

const system = `You drive a lamp with 172 LEDs. You answer every request with one JSON program and nothing else.

The form:
{"program":{"name":"…","steps":[{"id":"1","command":{…},"duration":2000}],"loop":{"count":0,"start_step":"1","end_step":"1"}}}

Commands:
{"type":"pattern","name":"…","params":{"color":"#RRGGBB","color2":"#RRGGBB","speed":1}}
  solid: one colour · gradient: from "color" to "color2" · breathing: swells and fades · wave: a crest that travels
  rainbow: all hues · pulse: short flashes · sparkle: single LEDs at random
{"type":"render","elements":[…]} with elements of type fill, text, pixel, rect, line
{"type":"stop"} switches the lamp off

A duration is in milliseconds; null means that the step stays. A loop with count 0 goes on for ever.
When a change is asked for, take the current program, change that and nothing else, and answer with all of it.`

const history = createHistory({ store: memoryStore() })
const chat = createChat({
  history,
  model,
  system,
  policy: tiered({ full: 2 }),
  settings: { format: 'json', temperature: 0 },
})

interface Program {
  readonly steps?: readonly { readonly command?: { readonly params?: { readonly speed?: number } } }[]
}

/** Prints what the lamp would do. */
function run(json: string): string {
  try {
    const { program } = JSON.parse(json) as { program?: Program }
    const speed = program?.steps?.[0]?.command?.params?.speed ?? 1
    return `${summarizeProgram(program)}, ${speed} times as fast as usual`
  } catch {
    return 'no program: the lamp stays as it is'
  }
}

interface Told {
  readonly conversation: string
  readonly text: string
}

/** Every user has a lamp, and so a conversation, of their own. */
async function tell({ conversation, text }: Told): Promise<void> {
  const reply = chat.send(text, { conversation })
  let lines = 0
  let tokens = 0
  for await (const part of reply) {
    if (part.type === 'context') {
      tokens = part.receipt.tokens
      lines = part.receipt.inserted.filter(inserted => inserted.part === 'digests').length
    }
    if (part.type === 'warning') console.log(`! ${part.message}`)
  }
  const answer = await reply.result().catch((error: Error) => ({ text: error.message }))
  console.log(`${conversation}: "${text}" → ${run(answer.text)}`)
  console.log(
    `   ${tokens} of 4096 tokens, ${lines > 0 ? 'older requests as one line each' : 'everything whole'}`,
  )
}

const ada = [
  'blue waves',
  'make it slower',
  'make it pulse instead',
  'make it green',
  'a bit faster again',
  'make it sparkle',
  'make it orange and red',
  'still slower',
  'keep it, but as a gradient',
  'make it violet',
]
await tell({ conversation: 'ben', text: 'a warm fire' })
for (const text of ada) await tell({ conversation: 'ada', text })
await tell({ conversation: 'ben', text: 'make it slower' })

const thread = history.thread('ada')
console.log((await thread.dump({ system: '(as above)', policy: tiered({ full: 2 }) })).slice(0, 400))
