import { ThroughlineError } from '@throughline/core/errors'
import { z } from 'zod'
import { type Caller, scopes } from '../auth/caller.ts'
import { keyRecord } from '../auth/create-keys.ts'
import { notFound } from '../auth/refusals.ts'
import { defineRoute } from './route.ts'

/** Keys. One with the scope `admin` manages those of its own tenant, one of the configuration those of all. */
export const keyRoutes = [
  defineRoute('get', '/keys', {
    scope: 'admin',
    summary: 'Lists the keys that the caller may manage, the oldest first.',
    answer: z.object({ keys: z.array(keyRecord) }),
    async handle({ caller, parts: { keys } }) {
      return { keys: (await keys.list()).filter(({ tenant }) => mayManage(caller, tenant)) }
    },
  }),
  defineRoute('post', '/keys', {
    scope: 'admin',
    summary: 'Makes a key, with no scope that the caller lacks. Only this answer ever shows it.',
    body: {
      name: z.string(),
      scopes: z.array(z.enum(scopes)).optional().describe('default: chat'),
      tenant: z.string().optional().describe('default: that of the caller'),
      person: z.string().optional().describe('who speaks with it; default: whom a request names'),
    },
    status: 201,
    answer: keyRecord.extend({ key: z.string() }),
    async handle({ caller, body, parts: { keys } }) {
      const { tenant = caller.tenant, person, name, scopes: wanted = ['chat'] } = body
      if (!mayManage(caller, tenant))
        throw new ThroughlineError('no_scope', 'This key can only make keys of its own tenant.')
      const beyond = wanted.find(scope => !caller.isOperator && !caller.scopes.includes(scope))
      if (beyond !== undefined)
        throw new ThroughlineError(
          'no_scope',
          `This key has no scope "${beyond}", so it cannot give it away: a key of the configuration can, and "throughline keys create" beside the log.`,
        )
      const { key, record } = await keys.create({ name, tenant, person, scopes: wanted })
      return { ...record, key }
    },
  }),
  defineRoute('delete', '/keys/:id', {
    scope: 'admin',
    summary: 'Revokes a key, within seconds on every server.',
    kind: 'none',
    async handle({ caller, params: { id }, parts: { keys } }) {
      const mayRevoke = (await keys.list()).some(
        key => key.id === id && mayManage(caller, key.tenant),
      )
      if (!mayRevoke || !(await keys.revoke(id))) throw notFound('key', id)
      return undefined
    },
  }),
]

const mayManage = ({ tenant, isOperator }: Caller, other: string) =>
  isOperator === true || tenant === other
