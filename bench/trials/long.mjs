// What is found in a very long conversation: the conversations of all sets follow each other, with made sessions between
// them until there are enough messages, and a sample of their questions is asked at the end. For each setting: how many
// questions have all their evidence in the context, and what a context costs.
//
//   node bench/trials/long.mjs --data DIR [--size 100000] [--every 5] [--policy balanced] [--dist DIST]
//     [--try recall/ranking:feedback=0] [--try recall/ranking:recency=0.3 …]
//   node bench/trials/long.mjs --data DIR --limits 8192,4096,2048,256 [--limits 32768,4096,2048,256 …]
//
// Made messages are chains of word pairs from the same texts, so that a word is as common as in the real ones. A setting is
// one or several changes (`FILE:NAME=VALUE`, with blanks between them); without any, the build as it is is asked. `--limits`
// asks the ranking alone, which is much faster: whether all evidence is among its best entries of 1,500 tokens in all, when
// so many postings are read for a question and for what is related to it, and so many entries are looked at, with those of
// the newest.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { loadSets } from '../lib/conversations.mjs'
import { copyWith } from '../lib/copy-with.mjs'
import { median, round } from '../lib/stats.mjs'
import { mulberry32 } from '../lib/texts.mjs'

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    dist: { type: 'string', default: fileURLToPath(new URL('../.build', import.meta.url)) },
    size: { type: 'string', default: '100000' },
    every: { type: 'string', default: '5' },
    policy: { type: 'string', default: 'balanced' },
    window: { type: 'string', default: '4096' },
    try: { type: 'string', multiple: true, default: [''] },
    limits: { type: 'string', multiple: true },
  },
})
const day = 24 * 60 * 60 * 1000
const minute = 60 * 1000
const sessionSize = 20

const { history, questions } = longConversation(loadSets(values.data), Number(values.size))
const asked = questions.filter((_, at) => at % Number(values.every) === 0)
console.log(`${history.length} messages, ${asked.length} questions`)
if (values.limits) await askRanking(values.limits.map(one => one.split(',').map(Number)))
else for (const setting of values.try) await ask(setting)

async function ask(setting) {
  const dist = copyWith(values.dist, setting.split(' ').filter(Boolean))
  const { fit, choosePolicy } = {
    ...(await import(join(dist, 'index.js'))),
    ...(await import(join(dist, 'context/policies/choose-policy.js'))),
  }
  const policy = choosePolicy(values.policy)
  const list = [...history]
  const last = history.at(-1).time
  const contextOf = () => fit(list, { window: Number(values.window), policy, overflow: 'trim' })
  contextOf()
  const found = {}
  const [times, blocks] = [[], []]
  for (const [at, { set, text, evidence }] of asked.entries()) {
    // Each is asked in a session of its own, and is answered: the next one goes on from there.
    list.push({ role: 'user', content: text, time: last + (at + 1) * day })
    const began = process.cpuUsage()
    const { messages, receipt } = contextOf()
    const { user, system } = process.cpuUsage(began)
    times.push((user + system) / 1000)
    blocks.push(receipt.parts.recall ?? 0)
    const whole = messages.map(message => message.content).join('\n')
    const isThere = seq =>
      ['kept', 'recalled'].includes(receipt.entries[seq].fate) &&
      whole.includes(history[seq].content)
    found[set] ??= [0, 0]
    found[set][0] += evidence.every(isThere) ? 1 : 0
    found[set][1] += 1
    list.push({ role: 'assistant', content: 'Let me see.', time: last + (at + 1) * day + minute })
  }
  const shares = Object.entries(found).map(
    ([set, [all, of]]) => `${set} ${((100 * all) / of).toFixed(1)}`,
  )
  const [all, of] = Object.values(found).reduce(([a, b], [c, d]) => [a + c, b + d])
  const mean = blocks.reduce((sum, tokens) => sum + tokens, 0) / blocks.length
  console.log(
    `${setting || 'as it is'}: all ${((100 * all) / of).toFixed(1)} % (${shares.join(', ')}); ` +
      `recalled ${Math.round(mean)} tokens, ${round(median(times))} ms a turn`,
  )
}

async function askRanking(settings) {
  const load = name => import(join(values.dist, `core/context/recall/${name}.js`))
  const [{ rank }, { createRecallIndex }] = [await load('rank'), await load('recall-index')]
  const index = createRecallIndex()
  const tokens = history.map(({ content }) => Math.ceil(content.length / 4))
  for (const [at, { role, content, time }] of history.entries()) {
    const beginsSession = time - history[at - 1]?.time > 30 * minute
    index.append({
      text: content,
      isUser: role === 'user',
      tokens: tokens[at],
      beginsSession,
    })
  }
  const limitsOf = ([postings, related, entries, newest]) => {
    return { postings, related, entries, newest }
  }
  for (const setting of settings) {
    let found = 0
    for (const { text, evidence } of asked) {
      const { units, values: scores } = rank(index, text, { limits: limitsOf(setting) }).scores
      const taken = new Set()
      let room = 1500
      const best = [...units.keys()].sort((a, b) => scores[b] - scores[a]).slice(0, 300)
      for (const entry of best.map(at => units[at])) {
        if (tokens[entry] > room) continue
        room -= tokens[entry]
        taken.add(entry)
      }
      if (evidence.every(entry => taken.has(entry))) found += 1
    }
    console.log(`limits ${setting.join(', ')}: all ${((100 * found) / asked.length).toFixed(1)} %`)
  }
}

function longConversation(sets, size) {
  const all = Object.entries(sets).flatMap(([set, list]) => list.map(one => ({ set, ...one })))
  const real = all.reduce((sum, { turns }) => sum + turns.length, 0)
  const random = mulberry32(1)
  const chain = createChain(all.flatMap(({ turns }) => turns.map(turn => turn.content)))
  const history = []
  const questions = []
  let time = 0
  for (const [place, { set, turns, questions: own }] of all.entries()) {
    const start = time + day
    const first = history.length
    for (const turn of turns) {
      time = start + turn.time
      history.push({ role: turn.role, content: turn.content, time })
    }
    for (const { text, evidence } of own)
      if (evidence.length > 0)
        questions.push({ set, text, evidence: evidence.map(at => first + at) })
    const made =
      Math.round(((size - real) * (place + 1)) / all.length) -
      Math.round(((size - real) * place) / all.length)
    for (let at = 0; at < made; at++) {
      time += at % sessionSize === 0 ? day : minute
      history.push({ role: at % 2 ? 'assistant' : 'user', content: chain(random), time })
    }
  }
  return { history, questions }
}

/** Makes texts whose words follow each other as they do somewhere in the given ones. */
function createChain(texts) {
  const next = new Map()
  const follow = (word, then) => {
    const list = next.get(word)
    if (list) list.push(then)
    else next.set(word, [then])
  }
  for (const text of texts) {
    let word = ''
    for (const then of text.split(/\s+/).slice(0, 120)) {
      follow(word, then)
      word = then
    }
    follow(word, '')
  }
  return random => {
    const words = []
    let word = ''
    do {
      const list = next.get(word)
      word = list[Math.floor(random() * list.length)]
      words.push(word)
    } while (word !== '' && words.length < 120)
    return words.join(' ').trim() || 'Well.'
  }
}
