// Do coding agents have in view what their next command names and quotes? 100 real runs, window by window.
//
//   npm run bench -- agents --data DIR [--calls] [--dist DIST] [--windows 8192,16384] [--policies default] [--runs 20] [--json]
//
// `--calls`: 200 runs of an agent with many tools instead: how many values in the arguments of its next calls are in view?
// `--dist`: another build of the modules (`npm run modules`), to compare with.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { loadRuns, measureAgents, reserve } from './lib/measure-agents.mjs'
import { measureCalls } from './lib/measure-calls.mjs'
import { formatTable } from './lib/table.mjs'

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    dist: { type: 'string', default: fileURLToPath(new URL('./.build', import.meta.url)) },
    calls: { type: 'boolean', default: false },
    windows: { type: 'string' },
    policies: { type: 'string' },
    runs: { type: 'string', default: '1000' },
    json: { type: 'boolean', default: false },
  },
})
if (!values.data) {
  console.error('bench: give the folder of the data: --data DIR (see CONTRIBUTING.md)')
  process.exit(2)
}
const load = file => import(join(values.dist, 'core', file))
const { fit } = await load('index.js')
const { choosePolicy } = await load('context/policies/choose-policy.js')
const count = (await load('tokens/o200k.js')).o200k()

const { calls } = values
const windows = values.windows ?? (calls ? '2048,4096,8192' : '8192,16384,32768')
const policies = values.policies ?? (calls ? 'spongebob,default' : 'spongebob,default,thorough')
const runs = loadRuns(values.data, calls ? 'tau-airline' : undefined).slice(0, Number(values.runs))
const result = {}
for (const window of windows.split(',').map(Number)) {
  result[window] = {}
  for (const name of policies.split(',')) {
    console.error(`agents: ${window}, ${name}`)
    const policy = choosePolicy(name)
    const options = { window, policy, count, overflow: 'trim', ...(!calls && { reserve }) }
    let refused = 0
    // What must be sent can be too much: then nothing of the step is in view.
    const contextOf = messages => {
      try {
        return fit(messages, options).messages
      } catch (error) {
        if (error.code !== 'context_overflow') throw error
        refused += 1
        return []
      }
    }
    result[window][name] = (calls ? measureCalls : measureAgents)(runs, contextOf, window, count)
    if (refused > 0)
      console.error(`agents: ${refused} steps need more than ${window} for what must be sent`)
  }
}
const rows = Object.entries(result).flatMap(([window, byPolicy]) =>
  Object.entries(byPolicy).map(([name, measured]) => [`${window} ${name}`, measured]),
)
console.log(
  values.json ? JSON.stringify(result, null, 2) : formatTable(calls ? callsTable() : toTable()),
)

function callsTable() {
  const head = ['window, policy', 'steps', 'values', 'in view', 'read a step']
  const cells = ({ steps, values, inView, read }) =>
    [steps, values, inView, Math.round(read / steps)].map(String)
  return [head, ...rows.map(([name, measured]) => [name, ...cells(measured)])]
}

function toTable() {
  const percent = share => (share * 100).toFixed(1)
  const head = ['window, policy', 'steps', 'anchors ALL', 'lines ALL', 'read a step', 'sent']
  const cells = ({ steps, anchors, lines, read, sent }) => [
    ...[String(steps), percent(anchors), percent(lines), read.toFixed(0), sent.toFixed(0)],
  ]
  return [head, ...rows.map(([name, measured]) => [name, ...cells(measured)])]
}
