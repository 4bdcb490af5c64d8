import { z } from 'zod'
import { policyNames } from '../../context/policies/choose-policy.ts'
import { scopes } from '../auth/caller.ts'
import { defineRoute } from './route.ts'
import { count } from './schemas.ts'

/** What a client must know of the server before it asks. */
export const serverRoutes = [
  defineRoute({
    method: 'get',
    path: '/server',
    scope: 'read',
    summary: 'Says what this server can do, and what the caller may do.',
    kind: 'json',
    answer: z.object({
      upstream: z.object({ kind: z.string(), address: z.string().optional() }),
      models: z.array(z.object({ name: z.string(), window: count.optional() })),
      policies: z.array(z.string()),
      window: count.optional(),
      scopes: z.array(z.enum(scopes)),
    }),
    async handle({ has, parts: { upstream, options } }) {
      // An upstream that does not answer has no models now.
      const models = await upstream.models().catch(() => [])
      const { kind, address } = upstream
      return {
        upstream: { kind, ...(address !== undefined && has('inspect') && { address }) },
        models: models.map(({ name, window }) => ({ name, ...(window !== undefined && { window }) })),
        policies: policyNames,
        ...(options.window !== undefined && { window: options.window }),
        scopes: scopes.filter(has),
      }
    },
  }),
]
