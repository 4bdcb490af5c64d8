// What the plans of calls take on disk, packed in several ways: the figures of bench/notes/stores.md.
//
//   npm run build && node bench/trials/plans.mjs
import { deflateRawSync } from 'node:zlib'
import { createHistory } from '../../dist/history/index.js'
import { memoryStore } from '../../dist/stores/index.js'
import { turnAt } from '../storage/texts.mjs'

const turns = 1200
/** The window is full from here on. */
const first = 200

const plans = (await makePlans()).slice(first)
const pack = (plan, dictionary) =>
  deflateRawSync(plan, { level: 9, ...(dictionary && { dictionary: Buffer.from(dictionary) }) })
    .length
const mean = sizes => Math.round(sizes.reduce((sum, size) => sum + size, 0) / sizes.length)

console.log('as it is', mean(plans.map(plan => plan.length)))
console.log('alone', mean(plans.map(plan => pack(plan))))
console.log(
  'with the plan before it',
  mean(plans.slice(1).map((plan, at) => pack(plan, plans[at]))),
)
for (const every of [16, 32]) {
  const isAlone = at => at % every === 0
  const before = at => (isAlone(at) ? undefined : plans[at - 1])
  const base = at => (isAlone(at) ? undefined : plans[at - (at % every)])
  console.log(
    `with the plan before it, one in ${every} alone`,
    mean(plans.map((plan, at) => pack(plan, before(at)))),
  )
  console.log(
    `with the last that stands alone, one in ${every}`,
    mean(plans.map((plan, at) => pack(plan, base(at)))),
  )
}

async function makePlans() {
  const thread = createHistory({ store: memoryStore(), window: 4096, reserve: 512 }).thread('plans')
  for (let turn = 0; turn < turns; turn++) {
    const { user, reply } = turnAt(turn)
    const begun = await thread.begin({ role: 'user', content: user })
    const context = await thread.context({ system: 'Answer briefly.' })
    const call = await thread.startCall(context, { model: 'bench' })
    await call.end({ status: 'completed', reported: context.tokens })
    await begun.turn.complete({ role: 'assistant', content: reply })
  }
  return (await thread.calls()).map(({ plan }) => plan).toReversed()
}
