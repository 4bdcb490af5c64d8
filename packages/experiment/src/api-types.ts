/** The types of the API of experiments that its page is made of. */
import type { experimentRoutes } from './plug/experiment-routes.ts'

export type { ExperimentEvent } from './experiment-event.ts'
export type { ExperimentEntry } from './log/experiment-log.ts'
export type { RoleData } from './log/experiment-threads.ts'
export type { PlanJson } from './plan/plan-json.ts'
export type { ExperimentFaultCode } from './plug/server-plug.ts'
export type ExperimentRoute = ReturnType<typeof experimentRoutes>[number]
