import { z } from 'zod'
import { policyNames } from '../../context/policies/choose-policy.ts'
import { present } from '../../log/present.ts'
import { scopes } from '../auth/caller.ts'
import { version } from '../version.ts'
import { defineRoute } from './route.ts'
import { count, name } from './schemas.ts'

/** What a client must know of the server before it asks. */
export const serverRoutes = [
  defineRoute({
    method: 'get',
    path: '/server',
    scope: 'read',
    summary: 'Says what this server can do, and what the caller may do.',
    kind: 'json',
    answer: z.object({
      version: z.string(),
      upstream: z.object({
        kind: z.string().describe('`reader` is the built-in model'),
        address: z.string().optional(),
        why: z
          .string()
          .optional()
          .describe('which upstream answers and why, in a sentence; needs the scope inspect'),
      }),
      models: z.array(z.object({ name: z.string(), window: count.optional() })),
      model: z
        .string()
        .optional()
        .describe('the one that answers if a request names none; absent if none is there'),
      policies: z.array(z.string()),
      policy: z.string().optional(),
      window: count.optional(),
      reserve: count.optional(),
      store: z.string().optional().describe('the name of the log, for people; needs the scope inspect'),
      addresses: z
        .object({
          ollama: z.string(),
          openai: z.string(),
          anthropic: z.string(),
          uiChat: z.string(),
          mcp: z.string(),
        })
        .describe('the base addresses that clients are given'),
      needsKey: z.boolean().describe('whether every request needs a key'),
      tenant: name,
      scopes: z.array(z.enum(scopes)).describe('what the caller may do'),
    }),
    async handle({ has, request, caller, parts: { upstream, options, about } }) {
      // An upstream that does not answer has no models now.
      const models = await upstream.models().catch(() => [])
      const { kind, address } = upstream
      const { origin } = new URL(request.url)
      const mayInspect = has('inspect')
      return {
        version,
        upstream: { kind, ...(mayInspect && present({ address, why: about.upstream })) },
        models: models.map(({ name, window }) => ({ name, ...present({ window }) })),
        ...present({ model: models[0]?.name }),
        policies: policyNames,
        ...present({ policy: options.policy?.name, window: options.window, reserve: options.reserve }),
        ...(mayInspect && present({ store: about.store })),
        addresses: {
          ...{ ollama: origin, openai: `${origin}/v1`, anthropic: origin },
          ...{ uiChat: `${origin}/throughline/v1/ui-chat`, mcp: `${origin}/mcp` },
        },
        needsKey: about.needsKey,
        tenant: caller.tenant,
        scopes: scopes.filter(has),
      }
    },
  }),
]
