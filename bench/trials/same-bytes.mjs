// One hash for all contexts of real conversations, to compare engines and machines: the same numbers must be printed everywhere.
// Each context is made twice, once for a list that grows message by message and once for a list that is read at once.
//
//   node bench/trials/same-bytes.mjs --data DIR [--every 7]
import { createHash } from 'node:crypto'
import { parseArgs } from 'node:util'
import { choosePolicy } from '../.build/core/context/policies/choose-policy.js'
import { fit } from '../.build/core/index.js'
import { loadSets } from '../lib/conversations.mjs'

const { values } = parseArgs({
  options: { data: { type: 'string' }, every: { type: 'string', default: '7' } },
})
const every = Number(values.every)

for (const policy of ['thrifty', 'balanced', 'thorough']) {
  const [warm, cold] = [createHash('sha256'), createHash('sha256')]
  let contexts = 0
  for (const conversations of Object.values(loadSets(values.data))) {
    for (const { turns, questions } of conversations) {
      for (const { text, at, time } of questions.filter((_, place) => place % every === 0)) {
        const asked = { role: 'user', content: text, time }
        const list = [...turns.slice(0, at), asked]
        warm.update(contextOf(list, policy))
        cold.update(contextOf(structuredClone(list), policy))
        contexts += 1
      }
    }
  }
  console.log(`${policy}: ${contexts} contexts, warm ${short(warm)}, cold ${short(cold)}`)
}
console.log(`node ${process.version}`)

function contextOf(messages, name) {
  const { messages: sent, receipt } = fit(messages, {
    window: 4096,
    policy: choosePolicy(name),
    overflow: 'trim',
  })
  return JSON.stringify([sent, receipt])
}

function short(hash) {
  return hash.digest('hex').slice(0, 16)
}
