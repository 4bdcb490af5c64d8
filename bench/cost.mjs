// What does the input of a long conversation cost, by the rules of three kinds of servers? In tokens of input at full price.
import { fit } from '../dist/index.js'
import { anthropicCache } from '../test/tools/anthropic-cache.mjs'
import { markCache } from './.build/models/dialects/anthropic/mark-cache.js'
import { toAnthropicPrompt } from './.build/models/dialects/anthropic/write-request.js'
import { readArgs } from './lib/args.mjs'
import { loadSets } from './lib/conversations.mjs'
import { loadRuns } from './lib/measure-agents.mjs'
import { cost, count, policies } from './lib/policies.mjs'
import { formatTable } from './lib/table.mjs'

const window = 32_768
const ways = {
  'direct, window 200,000': messages => withHead(messages, 200_000, policies['last-N']),
  [`last-N, window ${window}`]: messages => withHead(messages, window, policies['last-N']),
  [`default, window ${window}`]: messages =>
    fit(messages, { window, count, overflow: 'trim' }).messages,
}

const { json, data } = readArgs()
const { realmem } = loadSets(data)
const chat = upTo(realmem[0].turns, 300, ({ role }) => role === 'user')
/** System prompt and tools of Claude Code take about 20,000 tokens. */
const head = { role: 'system', content: 'You are a coding agent. '.repeat(3333) }
const runs = loadRuns(data)
  .map(({ messages }) => upTo(messages.slice(1), 60, ({ tool_calls }) => tool_calls))
  .filter(messages => messages.filter(({ tool_calls }) => tool_calls).length === 60)

const result = {
  'a chat of 300 turns': measure([chat], ({ role }) => role === 'user'),
  [`${runs.length} agents, 60 rounds each`]: measure(
    runs.map(messages => [head, ...messages]),
    ({ role }) => role === 'user' || role === 'tool',
  ),
}
console.log(json ? JSON.stringify(result, null, 2) : toTable(result))

/** The messages up to the last one that counts. */
function upTo(messages, most, isCounted) {
  let seen = 0
  const end = messages.findIndex(message => isCounted(message) && ++seen > most)
  return end < 0 ? messages : messages.slice(0, end)
}

/** The system prompt and what `build` leaves of the rest. A result without its call is left out, as servers refuse it. */
function withHead(messages, size, build) {
  const lead = messages[0].role === 'system' ? messages.slice(0, 1) : []
  const room = size - lead.reduce((sum, message) => sum + cost(message), 0)
  const { sent } = build(messages.slice(lead.length), room)
  const start = sent.findIndex(({ role }) => role !== 'tool')
  return [...lead, ...sent.slice(start)]
}

/** Every message that `isAsked` is a call. */
function measure(conversations, isAsked) {
  const sums = {}
  for (const [name, contextOf] of Object.entries(ways)) {
    console.error(`cost: ${name}`)
    const sum = { calls: 0, sent: 0, anthropic: 0, openaiTenth: 0, openaiHalf: 0, local: 0 }
    for (const messages of conversations) {
      const cache = anthropicCache({ count: tokensOf })
      let previous = []
      for (const [at, message] of messages.entries()) {
        if (!isAsked(message) || isAsked(messages[at + 1] ?? {})) continue
        const sent = contextOf(messages.slice(0, at + 1))
        const total = sent.reduce((all, one) => all + cost(one), count.prompt)
        const same = sharedTokens(previous, sent)
        const cached = same < 1024 ? 0 : same - (same % 128)
        sum.calls += 1
        sum.sent += total
        sum.anthropic += cache.ask(
          markCache(toAnthropicPrompt({ model: 'm', messages: sent, tools: [] })),
        ).cost
        sum.openaiTenth += total - cached * 0.9
        sum.openaiHalf += total - cached * 0.5
        sum.local += total - same
        previous = sent
      }
    }
    sums[name] = Object.fromEntries(
      Object.entries(sum).map(([key, value]) => [key, Math.round(value)]),
    )
  }
  return sums
}

/** The tokens of the messages that both prompts begin with. */
function sharedTokens(before, now) {
  let tokens = 0
  for (let at = 0; at < now.length && isSame(before[at], now[at]); at++) tokens += cost(now[at])
  return tokens
}

function isSame(a, b) {
  return a === b || (a !== undefined && JSON.stringify(a) === JSON.stringify(b))
}

/** A text is counted once. */
function tokensOf(text) {
  tokensOf.known ??= new Map()
  if (!tokensOf.known.has(text)) tokensOf.known.set(text, count.text(text))
  return tokensOf.known.get(text)
}

function toTable(result) {
  const head = [
    'conversation',
    'sent',
    'calls',
    'sent a call',
    'Anthropic',
    'OpenAI, 0.1',
    'OpenAI, 0.5',
    'local',
  ]
  const thousands = value => `${Math.round(value / 1000)}k`
  const rows = Object.entries(result).flatMap(([name, sums]) =>
    Object.entries(sums).map(
      ([way, { calls, sent, anthropic, openaiTenth, openaiHalf, local }]) => [
        ...[name, way, String(calls), String(Math.round(sent / calls))],
        ...[anthropic, openaiTenth, openaiHalf, local].map(thousands),
      ],
    ),
  )
  return formatTable([head, ...rows])
}
