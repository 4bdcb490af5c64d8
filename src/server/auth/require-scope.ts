import { createMiddleware } from 'hono/factory'
import { ThroughlineError } from '../../log/error.ts'
import { toFault } from '../to-fault.ts'
import type { KeyScope, ServerEnv } from './caller.ts'
import { refuse } from './refuse.ts'

/**
 * Lets only callers with a scope through. Every route but those of health has one:
 * `app.get('/throughline/v1/conversations', requireScope('read'), handler)`.
 */
export const requireScope = (scope: KeyScope) =>
  createMiddleware<ServerEnv>(async (context, next) => {
    if (context.get('caller').scopes.includes(scope)) return next()
    const error = new ThroughlineError('no_scope', `The key of this request has no scope "${scope}".`)
    return refuse(context, toFault(error))
  })
