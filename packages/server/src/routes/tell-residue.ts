import { residueNote } from '@throughline/stores/errors'
import type { Store } from '@throughline/stores/store'
import type { MiddlewareHandler } from 'hono'

/** Answers a deletion with 202 and a `message` while files of the store still hold what was deleted. */
export const tellResidue =
  ({ residue }: Store): MiddlewareHandler =>
  async (context, next) => {
    await next()
    const { method, path } = context.req
    const isDeletion = method === 'DELETE' ? deleted.test(path) : path.endsWith('/retain')
    const { res } = context
    if (!isDeletion || !res.ok || !residue?.() || context.req.query('dryRun') === 'true') return
    const body = res.status === 204 ? {} : ((await res.clone().json()) as object)
    const headers = new Headers(res.headers)
    headers.delete('content-length')
    // The framework keeps the headers of an answer that is replaced.
    context.res = undefined
    context.res = Response.json({ ...body, message: residueNote }, { status: 202, headers })
  }

/** What can be deleted. Taking back a pin or a hide is a DELETE too, and removes nothing. */
const deleted = /\/(conversations|responses|entries)(\/[^/]+)?$/
