import { createMiddleware } from 'hono/factory'
import { ThroughlineError } from '../../log/error.ts'
import type { KeyScope, ServerEnv } from './caller.ts'

/** Lets only callers with a scope through. Every route but those of health has one. */
export const requireScope = (scope: KeyScope) =>
  createMiddleware<ServerEnv>(async (context, next) => {
    if (context.get('caller').scopes.includes(scope)) return next()
    throw new ThroughlineError('no_scope', `The key of this request has no scope "${scope}".`)
  })
