/**
 * One long conversation, two ways to a model with a small window: through Ollama's own cutting, and through Throughline.
 *
 *   --upstream URL   an Ollama, or what speaks like it (default: the built-in reader, served as one)
 *   --model NAME     one of its models (default: its first)        --window TOKENS   (4096)
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type MessageLike, parseMessage } from 'throughline'
import { countWords } from 'throughline/models'
import { createCounter, estimate } from 'throughline/tokens'
import { startModelServer } from './model-server.ts'
import { ollamaCut } from './ollama-cut.ts'
import { type Question, questions } from './questions.ts'
import { startThroughline } from './start-throughline.ts'

const { values: flags } = parseArgs({
  options: {
    upstream: { type: 'string' },
    model: { type: 'string' },
    window: { type: 'string', default: '4096' },
  },
})
const window = Number(flags.window)
if (!Number.isInteger(window) || window < 1) throw new Error('--window must be a number of tokens')

/** The reader counts words. Of other models only an estimate is known here. */
const framing = { name: 'reader', message: 4, call: 0, result: 0, tool: 0, tools: 0, prompt: 0 }
const count = flags.upstream
  ? estimate()
  : createCounter({ id: 'reader', exact: true, text: countWords, framing })

const chat = readJson('../project-chat.json') as MessageLike[]
const whole = chat.slice(0, -1)
const server = await startModelServer(window, flags.upstream)
const throughline = await startThroughline(server.url, window)
const model = flags.model ?? (await firstModel())

/** A client on either way: it sends all that was said, as clients of Ollama do. */
const sides = [
  { name: 'Ollama', url: server.url, isCut: true },
  { name: 'Throughline', url: throughline.url, isCut: false },
].map(side => ({ ...side, messages: [...whole], seen: 0, right: 0, read: 0 }))
type Side = (typeof sides)[number]

const all = whole.reduce((sum, message, at) => sum + count.message(parseMessage(message, at)), 0)
console.log(`${whole.length} messages, ${all} tokens. The window of ${model}: ${window} tokens.`)
console.log(
  flags.upstream
    ? 'What Ollama dropped is worked out here by its rule, with an estimate of tokens: it does not tell.\n'
    : 'The model is the built-in reader, which quotes what it sees. It cuts prompts by the rule of Ollama.\n',
)
try {
  for (const [n, question] of questions.entries()) {
    console.log(`${n + 1}. ${question.text} (answered in message ${question.said})`)
    for (const side of sides) console.log(`   ${await ask(side, question)}`)
  }
  console.log('\n              saw the answer   gave it   tokens read')
  for (const { name, seen, right, read } of sides)
    console.log(
      `${name.padEnd(14)}${of(seen).padStart(14)}${of(right).padStart(10)}${String(read).padStart(14)}`,
    )
} finally {
  throughline.stop()
  server.close()
}

async function ask(side: Side, { text, words }: Question): Promise<string> {
  side.messages.push({ role: 'user', content: text })
  const response = await fetch(`${side.url}/api/chat`, {
    method: 'POST',
    body: JSON.stringify({
      model,
      messages: side.messages,
      stream: false,
      options: { num_ctx: window },
    }),
  })
  if (!response.ok) throw new Error(`${side.name}: ${response.status} ${await response.text()}`)
  const { message, prompt_eval_count: read = 0 } = (await response.json()) as Answer
  side.messages.push(message)
  const arrived = server.last()
  const cut = side.isCut ? ollamaCut(arrived, window, count) : undefined
  // The reader tells how many tokens it read. If that is not what the rule leaves, the comparison would be false.
  if (cut && !flags.upstream && cut.tokens !== read)
    throw new Error(`The rule leaves ${cut.tokens} tokens, and ${read} were read.`)
  const isSeen = (cut?.messages ?? arrived)
    .slice(0, -1)
    .some((one, at) => parseMessage(one, at).text.includes(words))
  const isRight = message.content.includes(words)
  side.read += read
  if (isSeen) side.seen += 1
  if (isRight) side.right += 1
  const said = message.content.replace(/\s+/g, ' ')
  const shown = said.length > 90 ? `${said.slice(0, 89)}…` : said
  return `${side.name.padEnd(12)}${isSeen ? 'saw it    ' : 'not in it '}${isRight ? '✓' : '✗'} ${shown}`
}

interface Answer {
  readonly message: MessageLike & { readonly content: string }
  readonly prompt_eval_count?: number
}

async function firstModel(): Promise<string> {
  const { models } = (await (await fetch(`${server.url}/api/tags`)).json()) as {
    models: { name: string }[]
  }
  if (!models[0]) throw new Error('The upstream has no model: pull one, and name it with --model.')
  return models[0].name
}

function of(amount: number): string {
  return `${amount} of ${questions.length}`
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'))
}
