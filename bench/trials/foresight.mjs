// How much of the next prompt does reading ahead foresee? Each prompt is compared with the one that was made for a message of one word in the
// place of the newest: what differs before that message, besides what was recalled for it, is read while a client waits.
//
//   node bench/trials/foresight.mjs --data DIR [--set realmem] [--window 4096]
//
// One conversation, the first of the set, after its first cut.
import { parseArgs } from 'node:util'
import { loadSets } from '../lib/conversations.mjs'
import { cost, policies } from '../lib/policies.mjs'

const text = given => ({ type: 'string', default: given })
const { values } = parseArgs({
  options: { data: text(), set: text('realmem'), window: text('4096') },
})
const [{ turns }] = loadSets(values.data)[values.set]
const build = messages => policies.default(messages, Number(values.window))

const unforeseen = []
let [changed, cuts, blocks] = [0, 0, 0]
let before
for (const [at, message] of turns.entries()) {
  if (message.role !== 'user') continue
  const { sent, receipt, isCut } = build(turns.slice(0, at + 1))
  if (before && isCut) {
    const guess = build([...turns.slice(0, at), { role: 'user', content: 'and' }])
    const isChanged = !isBeginning(before, sent)
    // Where the prompt will not change nothing is read ahead: then the model server has the last one, and the reply to it.
    const isReadAhead = !isBeginning(before, guess.sent.slice(0, -1))
    const had = isChanged && !isReadAhead ? before : guess.sent
    const own = receipt.sent.at(-2)?.part === 'recall' ? 2 : 1
    const read = sent.slice(shared(had, sent), -own).reduce((sum, one) => sum + cost(one), 0)
    unforeseen.push(read)
    if (isChanged) changed += 1
    if (read > 300 && receipt.cut?.at !== guess.receipt.cut?.at) cuts += 1
    else if (read > 300) blocks += 1
  }
  before = sent
}
const mean = unforeseen.reduce((sum, one) => sum + one, 0) / unforeseen.length
console.log(
  `${values.set}: ${unforeseen.length} turns after the first cut, in ${changed} the beginning of the prompt changed. Not foreseen, with more than 300 tokens: ${cuts} cuts, ${blocks} changes by recall. ${Math.round(mean)} tokens a turn, ${Math.max(...unforeseen)} at most.`,
)

function shared(one, other) {
  let at = 0
  while (at < one.length && at < other.length && one[at].content === other[at].content) at += 1
  return at
}

function isBeginning(one, other) {
  return shared(one, other) === one.length
}
