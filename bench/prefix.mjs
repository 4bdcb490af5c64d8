// How much of a prompt must the model server read again, and how full is the window? Every user message is a call; calls after the first cut count.
import { readArgs } from './lib/args.mjs'
import { loadSets } from './lib/conversations.mjs'
import { cost, count, policies } from './lib/policies.mjs'
import { formatTable } from './lib/table.mjs'

const window = 4096
const { json, data } = readArgs()
const result = {}
for (const [set, conversations] of Object.entries(loadSets(data))) {
  result[set] = {}
  for (const [name, build] of Object.entries(policies)) {
    console.error(`prefix: ${set}, ${name}`)
    result[set][name] = replay(conversations, build)
  }
}
console.log(json ? JSON.stringify(result, null, 2) : toTable(result))

function replay(conversations, build) {
  let turns = 0
  let read = 0
  let total = 0
  for (const { turns: messages } of conversations) {
    let previous
    for (const [at, message] of messages.entries()) {
      if (message.role !== 'user') continue
      const { sent, tokens, isCut } = build(messages.slice(0, at + 1), window)
      if (previous && isCut) {
        turns += 1
        total += tokens
        read += tokens - sharedPrefix(previous, sent)
      }
      previous = sent
    }
  }
  return {
    reuse: Number((total > 0 ? 1 - read / total : 0).toFixed(4)),
    readPerTurn: Math.round(turns > 0 ? read / turns : 0),
    full: Number((turns > 0 ? total / (turns * window) : 0).toFixed(4)),
    turns,
  }
}

/** Tokens of the messages that both prompts begin with. */
function sharedPrefix(before, now) {
  let tokens = count.prompt
  for (let at = 0; at < Math.min(before.length, now.length) && isSame(before[at], now[at]); at++)
    tokens += cost(now[at])
  return tokens
}

function isSame(a, b) {
  return a === b || (a.role === b.role && a.content === b.content)
}

function toTable(result) {
  const head = ['set', 'policy', 'reuse %', 'read per turn', 'full %', 'turns']
  const rows = Object.entries(result).flatMap(([set, byPolicy]) =>
    Object.entries(byPolicy).map(([name, { reuse, readPerTurn, full, turns }]) => [
      set,
      name,
      (reuse * 100).toFixed(1),
      String(readPerTurn),
      (full * 100).toFixed(1),
      String(turns),
    ]),
  )
  return formatTable([head, ...rows])
}
