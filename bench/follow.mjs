// Does the model still see what was just said, and is nothing old brought back where nothing old is asked for?
//
//   npm run bench -- follow --data DIR [--windows 4096] [--policies default,thorough] [--sets locomo] [--json]
import {
  createFitter,
  defaultPolicy,
  fit,
  spongebob,
  stable,
  thorough,
  thrifty,
} from '../dist/index.js'
import { readArgs } from './lib/args.mjs'
import { loadUntimed } from './lib/conversations.mjs'
import { followUps } from './lib/follow-ups.mjs'
import { measureFollow, measureNoise } from './lib/measure-follow.mjs'
import { measurePaste, measureRules } from './lib/measure-stays.mjs'
import { ordinaryTalk } from './lib/ordinary-talk.mjs'
import { formatTable } from './lib/table.mjs'

const policies = {
  tail: spongebob(),
  stable: stable(),
  thrifty: thrifty(),
  default: defaultPolicy,
  thorough: thorough(),
}
const text = fallback => ({ type: 'string', default: fallback })
const { json, data, ...wanted } = readArgs({
  windows: text('2048,4096,8192'),
  policies: text(Object.keys(policies).join()),
  sets: text('locomo,realmem,beam100K'),
})
if (!data) {
  console.error('bench: give the folder of the data: --data DIR (see CONTRIBUTING.md)')
  process.exit(2)
}
const rows = []
for (const window of wanted.windows.split(',').map(Number))
  for (const name of wanted.policies.split(','))
    for (const set of wanted.sets.split(',')) {
      console.error(`follow: ${window}, ${name}, ${set}`)
      const options = { window, reserve: Math.floor(window / 8), policy: policies[name] }
      const conversations = loadUntimed(data, set)
      const follow = measureFollow(conversations, createFitter, options)
      const noise = measureNoise(conversations, fit, options, Object.values(followUps).flat())
      const talk = measureNoise(conversations, fit, options, ordinaryTalk)
      // A few conversations do: each rule is a whole conversation that is read anew.
      const few = conversations.slice(0, 3)
      const paste = measurePaste(few, fit, options)
      const rules = measureRules(few, fit, options)
      rows.push({ window, policy: name, set, ...follow, noise, talk, paste, rules })
    }
console.log(json ? JSON.stringify(rows, null, 2) : formatTable(toTable()))

function toTable() {
  const percent = share => (100 * share).toFixed(1)
  const head = [
    'window, policy',
    'set',
    'lost',
    'depth 2/3/4 %',
    'next %',
    'read',
    'full %',
    'recalled',
    'gain',
    'chance',
    'recent',
    'follow-ups with recall %',
    'tokens',
    'ordinary talk with recall %',
    'paste 30/50/70 %, of 6',
    'rules early/middle %',
  ]
  const cells = ({ window, policy, set, lost, depths, next, read, full, recalled, ...rest }) => [
    ...[
      `${window} ${policy}`,
      set,
      String(lost),
      depths.map(share => (100 * share).toFixed(0)).join('/'),
      percent(next),
      read.toFixed(0),
      percent(full),
      recalled.toFixed(0),
    ],
    ...[rest.gain, rest.chance, rest.recent].map(value => value.toFixed(1)),
    ...[percent(rest.noise.share), rest.noise.tokens.toFixed(0), percent(rest.talk.share)],
    rest.paste.map(count => count.toFixed(1)).join('/'),
    `${(100 * rest.rules.early).toFixed(0)}/${(100 * rest.rules.middle).toFixed(0)}`,
  ]
  return [head, ...rows.map(cells)]
}
