// Is all the evidence, word for word, in the context that was built for a question? Everything is counted.
import { readArgs } from './lib/args.mjs'
import { loadSets } from './lib/conversations.mjs'
import { measureQuality } from './lib/measure-quality.mjs'
import { policies } from './lib/policies.mjs'
import { apartTable, qualityApart } from './lib/quality-apart.mjs'
import { formatTable } from './lib/table.mjs'

const names = Object.keys(policies)
const { json, data, apart, ...wanted } = readArgs({
  apart: { type: 'boolean', default: false },
  windows: { type: 'string', default: '2048,4096,8192' },
  policies: { type: 'string', default: names.join() },
  sets: { type: 'string' },
})
const windows = wanted.windows.split(',').map(Number)
const isWanted = set => wanted.sets === undefined || wanted.sets.split(',').includes(set)
const result = apart ? await qualityApart(loadSets(data)) : {}
for (const [set, conversations] of apart ? [] : Object.entries(loadSets(data))) {
  if (!isWanted(set)) continue
  result[set] = {}
  for (const name of wanted.policies.split(',')) {
    const build = policies[name]
    console.error(`quality: ${set}, ${name}`)
    result[set][name] = Object.fromEntries(
      windows.map(window => [window, measureQuality(conversations, build, window)]),
    )
  }
}
console.log(json ? JSON.stringify(result, null, 2) : apart ? apartTable(result) : toTable(result))

function toTable(result) {
  const percent = value => (value * 100).toFixed(1)
  return Object.entries(result)
    .map(([set, byPolicy]) => {
      const { questions } = Object.values(byPolicy)[0][windows[0]]
      const head = [
        `${set} (${questions} questions)`,
        ...windows.flatMap(window => [`ALL ${window}`, 'MEAN', 'assistant', 'precise']),
      ]
      const rows = Object.entries(byPolicy).map(([name, byWindow]) => [
        name,
        ...windows.flatMap(window => {
          const { all, mean, assistant, precision } = byWindow[window]
          const ofAssistant = assistant.evidence > 0 ? percent(assistant.share) : '–'
          return [
            percent(all),
            percent(mean),
            ofAssistant,
            precision === undefined ? '–' : percent(precision),
          ]
        }),
      ])
      return formatTable([head, ...rows])
    })
    .join('\n\n')
}
