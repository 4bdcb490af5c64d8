// Memory against cost of one policy with other constants: what `quality` and `prefix` measure at 4096 tokens, for each
// conversation by itself, so that constants can be chosen on some conversations and reported on others.
//
//   node bench/trials/recall.mjs --data DIR [--dist DIST] [--policy balanced] [--sets locomo,realmem,beam100K] [--no-times]
//     [--set recall/judge:plain=10 …] [--json]
//
// `--set FILE:NAME=VALUE` gives `const NAME = …` (or `NAME: …`) in a copy of context/FILE.js another value.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { loadSets } from '../lib/conversations.mjs'

const here = name => fileURLToPath(new URL(name, import.meta.url))
const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    dist: { type: 'string', default: here('../../dist') },
    policy: { type: 'string', default: 'balanced' },
    sets: { type: 'string', default: 'locomo,realmem,beam100K' },
    set: { type: 'string', multiple: true, default: [] },
    window: { type: 'string', default: '4096' },
    'no-times': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const window = Number(values.window)
const folder = copyWith(values.set)
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const { fit, parseMessage, choosePolicy, recall } = {
  ...(await import(join(folder, 'dist/index.js'))),
  ...(await import(join(folder, 'dist/context/policies/choose-policy.js'))),
}
const count = (await import(join(folder, 'dist/tokens/o200k.js'))).o200k()
const policy = Number.isNaN(Number(values.policy))
  ? choosePolicy(values.policy)
  : recall({ effort: Number(values.policy) })

const wanted = values.sets.split(',')
const result = {}
for (const [set, conversations] of Object.entries(loadSets(values.data)))
  if (wanted.includes(set))
    result[set] = conversations.map(one => measure(values['no-times'] ? untimed(one) : one))
console.log(values.json ? JSON.stringify(result) : report())

function copyWith(changes) {
  const made = mkdtempSync(join(tmpdir(), 'trial-'))
  cpSync(resolve(values.dist), join(made, 'dist'), {
    recursive: true,
    filter: name => !name.endsWith('/inspector'),
  })
  symlinkSync(here('../../node_modules'), join(made, 'node_modules'))
  writeFileSync(join(made, 'package.json'), '{ "type": "module" }')
  for (const change of changes) {
    const [, file, name, value] = /^(.+?):(.+?)=(.+)$/.exec(change)
    const path = join(made, `dist/context/${file}.js`)
    const before = readFileSync(path, 'utf8')
    const after = before.replace(
      new RegExp(`((?:const |^\\s*)${name}(?: = |: ))[^;\\n]*?(;|,\\n|\\n)`, 'm'),
      `$1${value}$2`,
    )
    if (after === before && !before.includes(value)) throw new Error(`${file} has no ${name}`)
    writeFileSync(path, after)
  }
  return made
}

function untimed({ turns, ...rest }) {
  return { ...rest, turns: turns.map(({ time: _, ...turn }) => turn) }
}

function measure({ turns, questions }) {
  let all = 0
  const categories = {}
  for (const { text, category, at, evidence, time } of questions) {
    const asked = { role: 'user', content: text, ...(turns[0].time !== undefined && { time }) }
    const { sent, receipt } = contextOf([...turns.slice(0, at), asked])
    const whole = sent.map(message => message.content).join('\n')
    const isThere = seq =>
      ['kept', 'recalled'].includes(receipt.entries[seq].fate) && whole.includes(turns[seq].content)
    const found = evidence.every(isThere) ? 1 : 0
    all += found
    categories[category] ??= [0, 0]
    categories[category][0] += found
    categories[category][1] += 1
  }
  let previous
  const sum = { calls: 0, read: 0, tail: 0, blocks: 0 }
  for (const [at, message] of turns.entries()) {
    if (message.role !== 'user') continue
    const { sent, tokens, receipt } = contextOf(turns.slice(0, at + 1))
    const isCut = receipt.inserted.some(({ part }) => part === 'marker' || part === 'digests')
    if (previous && isCut) {
      sum.calls += 1
      sum.read += tokens - sharedPrefix(previous, sent)
      sum.tail += receipt.parts.history
      sum.blocks += receipt.inserted.some(({ part }) => part === 'recall') ? 1 : 0
    }
    previous = sent
  }
  return { all, questions: questions.length, categories, ...sum }
}

function contextOf(messages) {
  const { messages: sent, tokens, receipt } = fit(messages, { window, policy, count, overflow: 'trim' })
  return { sent, tokens, receipt }
}

function sharedPrefix(before, now) {
  let tokens = count.prompt
  for (let at = 0; at < Math.min(before.length, now.length) && before[at].content === now[at].content; at++)
    tokens += cost(now[at])
  return tokens
}

function cost(message) {
  return count.message(parseMessage(message, 0))
}

function report() {
  const total = (list, key) => list.reduce((sum, one) => sum + one[key], 0)
  const rows = Object.entries(result).map(([set, list]) => ({
    set,
    all: (100 * total(list, 'all')) / total(list, 'questions'),
    read: total(list, 'read') / total(list, 'calls'),
    tail: total(list, 'tail') / total(list, 'calls'),
    blocks: (100 * total(list, 'blocks')) / total(list, 'calls'),
  }))
  const mean = key => rows.reduce((sum, row) => sum + row[key], 0) / rows.length
  rows.push({
    set: 'mean',
    ...Object.fromEntries(['all', 'read', 'tail', 'blocks'].map(key => [key, mean(key)])),
  })
  return rows
    .map(
      ({ set, all, read, tail, blocks }) =>
        `${set.padEnd(10)} all ${all.toFixed(1)}  read ${read.toFixed(0)}  tail ${tail.toFixed(0)}  with a block ${blocks.toFixed(0)} %`,
    )
    .join('\n')
}
