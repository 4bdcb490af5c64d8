import { Hono } from 'hono'
import { ThroughlineError } from '../../log/error.ts'
import { showValue } from '../../log/show-value.ts'
import type { Caller, ServerEnv } from '../auth/caller.ts'
import type { Keys, NewKey } from '../auth/create-keys.ts'
import { requireScope } from '../auth/require-scope.ts'
import { parseBody } from '../guard/parse-body.ts'
import { bodyOf } from '../routes/pass-on.ts'

/**
 * `/throughline/v1/keys`: makes, lists and revokes keys. A key with the scope `admin` manages those of its own tenant, one
 * of the configuration those of all.
 */
export function keysRoutes(keys: Keys): Hono<ServerEnv> {
  const mayManage = requireScope('admin')
  return new Hono<ServerEnv>()
    .get('/', mayManage, async context => {
      const found = await keys.list()
      return context.json({ keys: found.filter(({ tenant }) => mayTouch(context.var.caller, tenant)) })
    })
    .post('/', mayManage, async context => {
      const { caller } = context.var
      const wanted = readWanted(await bodyOf(context.req.raw, 64 * 1024))
      const { tenant = caller.tenant } = wanted
      if (!mayTouch(caller, tenant))
        throw new ThroughlineError('no_scope', 'This key can only make keys of its own tenant.')
      const { key, record } = await keys.create({ ...wanted, tenant })
      return context.json({ ...record, key }, 201, { 'cache-control': 'no-store' })
    })
    .delete('/:id', mayManage, async context => {
      const id = context.req.param('id')
      const found = (await keys.list()).find(key => key.id === id && mayTouch(context.var.caller, key.tenant))
      if (!found || !(await keys.revoke(id)))
        throw new ThroughlineError('no_key', `There is no key ${showValue(id)}.`)
      return context.body(null, 204)
    })
}

const mayTouch = ({ tenant, isOperator }: Caller, other: string) => isOperator === true || tenant === other

/** What `create` checks itself stays as it came. */
function readWanted(bytes: Buffer): NewKey {
  const body = parseBody(bytes, { maxDepth: 4, maxValues: 100 })
  const { name, scopes, tenant } = (typeof body === 'object' && body !== null ? body : {}) as NewKey
  return { name, ...(scopes !== undefined && { scopes }), ...(tenant !== undefined && { tenant }) }
}
