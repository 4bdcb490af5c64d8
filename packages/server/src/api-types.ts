/** The types of the API that its page is made of. */
import type { apiRoutes } from './api/routes.ts'

export type { PolicyName } from '@throughline/core/context'
export type { FaultCode } from './to-fault.ts'
export type ApiRoute = (typeof apiRoutes)[number]
