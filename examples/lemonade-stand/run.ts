/**
 * Runs the stand in memory: by rules; `--reader`: by the built-in reader; `--ollama llama3.2`: by a real model;
 * `--json`: the plan of plan.json instead of plan.ts. `npm run example lemonade-stand -- --reader`
 */
import { readFileSync } from 'node:fs'
import { createExperiments, type ExperimentTools, parseExperiment } from 'throughline/experiment'
import { createHistory } from 'throughline/history'
import { type Model, ollama, reader } from 'throughline/models'
import { memoryStore } from 'throughline/stores'
import lemonadeStand from './plan.ts'
import tools, { models, type Stand } from './tools.ts'

const flags = process.argv.slice(2)
const at = flags.indexOf('--ollama')
const model: Model | undefined =
  at >= 0
    ? ollama({ model: flags[at + 1] ?? 'llama3.2' })
    : flags.includes('--reader')
      ? reader()
      : undefined

const plan = flags.includes('--json')
  ? parseExperiment(readFileSync(new URL('plan.json', import.meta.url), 'utf8'), {
      tools: tools as ExperimentTools<Record<string, unknown>>,
      modelOf: name => model ?? models[name]!,
    })
  : lemonadeStand(model && { model })

const history = createHistory({ store: memoryStore() })
const experiments = createExperiments({ history })
const run = experiments.run(plan, { id: 'stand' })

for await (const event of run) {
  if (event.type === 'tool-result' && event.isError) console.log(`  ${event.role}: ${event.text}`)
  if (event.type !== 'step-ended') continue
  const { weather, demand, cash, loan } = event.environment as unknown as Stand
  console.log(`step ${event.step}: ${weather}, ${demand} cups wanted, cash ${cash}, loan ${loan}`)
}
const { status, result, steps } = await run.result()
console.log(`${status} after ${steps} steps: ${result}`)
await history.close()
