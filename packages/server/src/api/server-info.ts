import { policyNames } from '@throughline/core/context'
import { z } from 'zod'
import { scopes } from '../auth/caller.ts'
import { tenantsFor } from '../auth/tenants.ts'
import { manifest } from '../package.ts'
import { modelsSoon } from '../upstream/upstreams.ts'
import { defineRoute } from './route.ts'
import { count, name } from './schemas.ts'

export const serverRoutes = [
  defineRoute('get', '/server', {
    scope: 'read',
    summary: 'Says what this server can do, and what the caller may do.',
    answer: z.object({
      version: z.string(),
      upstream: z.object({
        kind: z.string().describe('`reader` is the built-in model; `several`: see `upstreams`'),
        address: z.string().optional(),
        why: z
          .string()
          .optional()
          .describe('which upstream answers and why, in a sentence; needs the scope inspect'),
      }),
      upstreams: z
        .array(
          z.object({
            name: z.string(),
            kind: z.string(),
            models: z.array(z.string()).describe('patterns of the names of its models: `gpt-*`'),
            address: z.string().optional().describe('needs the scope inspect'),
          }),
        )
        .optional()
        .describe('where there are several: each, in the order in which they are tried for a name'),
      models: z.array(
        z.object({
          name: z.string(),
          window: count.optional().describe('absent while it is unknown: then nothing is cut'),
          windowFrom: z
            .string()
            .optional()
            .describe('from where it is known: `told by the server`'),
        }),
      ),
      model: z
        .string()
        .optional()
        .describe('the one that answers if a request names none; absent if none is there'),
      plugs: z.array(z.string()).describe('what packages add to this server: `experiments`'),
      policies: z.array(z.string()),
      policy: z.string().optional(),
      window: count.optional(),
      reserve: count.optional(),
      remember: z
        .enum(['conversation', 'person'])
        .describe(
          'what a message may bring back: of its own conversation, or of all of the same person',
        ),
      person: z.string().optional().describe('who speaks where a request names no person'),
      store: z
        .string()
        .optional()
        .describe('the name of the log, for people; needs the scope inspect'),
      addresses: z
        .record(z.enum(['ollama', 'openai', 'anthropic', 'uiChat', 'mcp']), z.string())
        .describe('the base addresses that clients are given'),
      price: z
        .object({ amount: z.number(), currency: z.string() })
        .optional()
        .describe('what a million tokens of a prompt cost, where that is set'),
      shadow: z
        .boolean()
        .describe(
          'whether every request passes as it came, and what would have been sent is only shown',
        ),
      needsKey: z.boolean().describe('whether every request needs a key'),
      tenant: name,
      tenants: z
        .array(name)
        .describe(
          'those that the caller may choose by the header `x-throughline-tenant`, with its own',
        ),
      scopes: z.array(z.enum(scopes)).describe('what the caller may do'),
    }),
    async handle({
      has,
      request,
      caller,
      log: { store },
      parts: { upstreams, options, about, keys, plugs },
    }) {
      const models = await modelsSoon(upstreams)
      const { all } = upstreams
      const [first] = all
      const isOne = all.length === 1
      const { origin } = new URL(request.url)
      const mayInspect = has('inspect')
      return {
        version: manifest.version,
        upstream: {
          kind: isOne ? first!.upstream.kind : 'several',
          address: mayInspect && isOne ? first!.upstream.address : undefined,
          why: mayInspect ? about.upstream : undefined,
        },
        upstreams: isOne
          ? undefined
          : all.map(({ name, patterns, upstream: { kind, address } }) => ({
              name,
              kind,
              models: [...patterns],
              address: mayInspect ? address : undefined,
            })),
        models: models.map(({ name, window, windowFrom }) => ({ name, window, windowFrom })),
        model: models[0]?.name,
        policies: policyNames,
        policy: options.policy?.name,
        window: options.window ?? about.window,
        reserve: options.reserve,
        remember: about.remember,
        person: about.person,
        store: mayInspect ? about.store : undefined,
        addresses: {
          ollama: origin,
          openai: `${origin}/v1`,
          anthropic: origin,
          uiChat: `${origin}/throughline/v1/ui-chat`,
          mcp: `${origin}/mcp`,
        },
        price: priceOf(about.price),
        shadow: options.shadow ?? false,
        needsKey: about.needsKey,
        tenant: caller.tenant,
        plugs: plugs.map(({ name }) => name),
        tenants: await tenantsFor(caller, store, keys),
        scopes: scopes.filter(has),
      }
    },
  }),
]

/** An amount and a currency, as they are set: `0.15 USD`. */
function priceOf(price: string | undefined) {
  const [amount, currency] = price?.split(' ') ?? []
  return amount === undefined || currency === undefined
    ? undefined
    : { amount: Number(amount), currency }
}
