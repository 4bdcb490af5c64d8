import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { ExperimentTools, PlanJson } from '../../experiment/index.ts'
import type { Model } from '../../models/model.ts'
import { importModule } from '../import-module.ts'

/** What a plan calls the code of the sample: the only code that a posted plan can name. */
export const standModule = 'throughline:lemonade-stand'

const folder = new URL('../../../examples/lemonade-stand/', import.meta.url)

/** The sample experiment, an example of the package: a lemonade stand of three roles who act by rules, so no model is asked. */
export async function readStandPlan(): Promise<PlanJson> {
  const plan: PlanJson = JSON.parse(await readFile(new URL('plan.json', folder), 'utf8'))
  return { ...plan, tools: standModule, roles: plan.roles.map(role => ({ ...role, window: 4096 })) }
}

interface StandCode {
  readonly default: ExperimentTools<Record<string, unknown>>
  /** By role. */
  readonly models: Readonly<Record<string, Model>>
}

export const loadStandCode = () =>
  importModule(fileURLToPath(new URL('tools.ts', folder))) as Promise<unknown> as Promise<StandCode>
