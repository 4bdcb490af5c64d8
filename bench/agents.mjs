// Do coding agents have in view what their next command names and quotes? 100 real runs, window by window.
//
//   npm run bench -- agents --data DIR [--dist DIST] [--windows 8192,16384] [--policies default] [--runs 20] [--json]
//
// `--dist`: another build of the modules (`npm run modules`), to compare with.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { loadRuns, measureAgents, reserve } from './lib/measure-agents.mjs'
import { formatTable } from './lib/table.mjs'

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    dist: { type: 'string', default: fileURLToPath(new URL('./.build', import.meta.url)) },
    windows: { type: 'string', default: '8192,16384,32768' },
    policies: { type: 'string', default: 'spongebob,default,thorough' },
    runs: { type: 'string', default: '1000' },
    json: { type: 'boolean', default: false },
  },
})
if (!values.data) {
  console.error('bench: give the folder of the data: --data DIR (see CONTRIBUTING.md)')
  process.exit(2)
}
const load = file => import(join(values.dist, file))
const { fit } = await load('index.js')
const { choosePolicy } = await load('context/policies/choose-policy.js')
const count = (await load('tokens/o200k.js')).o200k()

const runs = loadRuns(values.data).slice(0, Number(values.runs))
const result = {}
for (const window of values.windows.split(',').map(Number)) {
  result[window] = {}
  for (const name of values.policies.split(',')) {
    console.error(`agents: ${window}, ${name}`)
    const policy = choosePolicy(name)
    const contextOf = messages => fit(messages, { window, reserve, policy, count, overflow: 'trim' }).messages
    result[window][name] = measureAgents(runs, contextOf, window, count)
  }
}
console.log(values.json ? JSON.stringify(result, null, 2) : toTable())

function toTable() {
  const percent = share => (share * 100).toFixed(1)
  const head = ['window, policy', 'steps', 'anchors ALL', 'lines ALL', 'read a step', 'sent']
  const rows = Object.entries(result).flatMap(([window, policies]) =>
    Object.entries(policies).map(([name, { steps, anchors, lines, read, sent }]) => [
      `${window} ${name}`,
      ...[String(steps), percent(anchors), percent(lines), read.toFixed(0), sent.toFixed(0)],
    ]),
  )
  return formatTable([head, ...rows])
}
