import { readFile } from 'node:fs/promises'
import type { Model } from '@throughline/models/model'
import type { ExperimentTools, PlanJson } from '../index.ts'

export interface ExperimentPlugOptions {
  /** The tools that roles of posted experiments may use. */
  readonly tools?: ExperimentTools<Record<string, unknown>> | undefined
  readonly sample: Sample
}

/** An experiment that a new server can show. */
export interface Sample {
  readonly name: string
  /** The path of its plan. */
  readonly plan: string
  readonly code: () => Promise<SampleCode>
}

export interface SampleCode {
  readonly default: ExperimentTools<Record<string, unknown>>
  /** By role. */
  readonly models: Readonly<Record<string, Model>>
}

/** What a plan calls the code of the sample: the only code that a posted plan can name. */
export const moduleOf = ({ name }: Sample) => `throughline:${name}`

export async function readSamplePlan(sample: Sample): Promise<PlanJson> {
  const plan: PlanJson = JSON.parse(await readFile(sample.plan, 'utf8'))
  return {
    ...plan,
    tools: moduleOf(sample),
    roles: plan.roles.map(role => ({ ...role, window: 4096 })),
  }
}
