import type { ServerPlug } from '@throughline/server/api/route'
import { experimentRoutes } from './experiment-routes.ts'
import { createRunningExperiments } from './running-experiments.ts'
import type { ExperimentPlugOptions } from './sample.ts'

/** Experiments as a part of one server: those that run here are paused when it is closed. */
export function createExperimentPlug(options: ExperimentPlugOptions): ServerPlug {
  const running = createRunningExperiments()
  return {
    name: 'experiments',
    routes: experimentRoutes({ ...options, running }),
    statuses,
    gauges: () => ({ throughline_running_experiments: running.size }),
    close: running.close,
  }
}

const statuses = {
  invalid_plan: 400,
  invalid_variable: 400,
  no_experiment: 404,
  unknown_role: 404,
  experiment_exists: 409,
  experiment_ended: 409,
  plan_changed: 409,
  too_many_experiments: 503,
} as const

export type ExperimentFaultCode = keyof typeof statuses
