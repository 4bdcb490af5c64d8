// Two builds take the same turns of the default policy by turns, in one process: their CPU time, and how many contexts have
// the same bytes.
//
//   node bench/trials/rank.mjs --old DIST --new DIST [--data DIR]
//
// Without data the texts are those of `npm run bench -- fit`: a hundred words, no times. With data the conversations of all
// sets follow each other, with their times, and begin again until there are enough messages.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { loadSets } from '../lib/conversations.mjs'
import { median, round } from '../lib/stats.mjs'
import { textAt } from '../lib/texts.mjs'

const sizes = [1000, 10_000, 100_000]
const turns = 60
const warmUp = 10
const day = 24 * 60 * 60 * 1000

const { values } = parseArgs({
  options: { old: { type: 'string' }, new: { type: 'string' }, data: { type: 'string' } },
})
const builds = await Promise.all(
  ['old', 'new'].map(async name => ({
    name,
    ...(await import(resolve(values[name], 'index.js'))),
  })),
)
const messageAt = values.data ? realMessages(values.data) : madeMessage

for (const size of sizes) {
  const history = Array.from({ length: size }, (_, at) => messageAt(at))
  const runs = builds.map(({ name, fit, defaultPolicy }) => {
    const list = history.map(message => ({ ...message }))
    const take = more => {
      list.push(...more.map(message => ({ ...message })))
      const began = process.cpuUsage()
      const context = fit(list, { window: 4096, policy: defaultPolicy })
      const { user, system } = process.cpuUsage(began)
      return { ms: (user + system) / 1000, bytes: JSON.stringify(context.messages) }
    }
    take([])
    return { name, take, times: [] }
  })
  let next = size
  let same = 0
  for (let turn = 0; turn < turns; turn++) {
    const more = []
    do more.push(messageAt(next++))
    while (more.at(-1).role !== 'user')
    // Whoever is first in a turn finds colder memory: they change places.
    const taken = (turn % 2 === 0 ? runs : runs.toReversed()).map(run => {
      const { ms, bytes } = run.take(more)
      if (turn >= warmUp) run.times.push(ms)
      return bytes
    })
    if (taken[0] === taken[1]) same += 1
  }
  const figures = runs.map(({ name, times }) => `${name} ${round(median(times))} ms`)
  const ratio = median(runs[1].times) / median(runs[0].times)
  console.log(
    `${size} messages: ${figures.join(', ')}, ${ratio.toFixed(2)} times; ${same} of ${turns} contexts are the same`,
  )
}

function madeMessage(at) {
  return { role: at % 2 === 0 ? 'assistant' : 'user', content: textAt(at) }
}

function realMessages(folder) {
  let time = 0
  const all = Object.values(loadSets(folder))
    .flat()
    .flatMap(({ turns }) => {
      const start = time + day
      return turns.map(turn => {
        time = start + turn.time
        return { role: turn.role, content: turn.content, time }
      })
    })
  const span = time + day
  return at => {
    const message = all[at % all.length]
    return { ...message, time: message.time + Math.floor(at / all.length) * span }
  }
}
