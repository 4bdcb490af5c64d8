import { readFile } from 'node:fs/promises'
import type { ExperimentTools, PlanJson } from '../../experiment/index.ts'
import type { Model } from '../../models/model.ts'
import { packageFile } from '../package.ts'

/** What a plan calls the code of the sample: the only code that a posted plan can name. */
export const standModule = 'throughline:lemonade-stand'

/** The sample experiment, an example of the package: a lemonade stand of three roles who act by rules, so no model is asked. */
export async function readStandPlan(): Promise<PlanJson> {
  const plan: PlanJson = JSON.parse(await readFile(packageFile('examples/lemonade-stand/plan.json'), 'utf8'))
  return { ...plan, tools: standModule, roles: plan.roles.map(role => ({ ...role, window: 4096 })) }
}

interface StandCode {
  readonly default: ExperimentTools<Record<string, unknown>>
  /** By role. */
  readonly models: Readonly<Record<string, Model>>
}

/** The code is part of the build, because its schemas need a package that is not installed with this one. */
export const loadStandCode = () =>
  import('../../../examples/lemonade-stand/tools.ts') as Promise<unknown> as Promise<StandCode>
