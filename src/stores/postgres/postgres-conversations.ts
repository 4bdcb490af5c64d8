import { checkPage, toDescription } from '../check-input.ts'
import type { ConversationInfo, Store } from '../store.ts'
import { NoConversationError } from '../store-error.ts'
import { checkKey } from './check-key.ts'
import { conversationKey } from './conversation-key.ts'
import type { Database } from './database.ts'
import type { Row } from './pg-client.ts'

export function postgresConversations(
  database: Database,
  schema: string,
): Pick<Store, 'conversations' | 'describeConversation'> {
  return {
    async conversations(tenant, options = {}) {
      checkPage(options)
      const { after, limit, order = 'recent' } = options
      checkKey({ tenant, conversation: after?.conversation || '-', actor: '-', branch: '-' })
      const place = order === 'name' ? [] : [after?.updatedAt ?? null]
      const values = [tenant, after?.conversation ?? null, limit ?? null, ...place]
      const rows = await database.read(listSql(schema, order), values)
      return rows.map(toInfo)
    },
    async describeConversation(tenant, conversation, description) {
      checkKey({ tenant, conversation, actor: '-', branch: '-' })
      const { title, metadata } = toDescription(description)
      const key = conversationKey({ tenant, conversation })
      const [row] = await database.write(
        `update ${schema}.conversations set title = case when $2::boolean then $3 else title end,
          metadata = case when $4::boolean then $5 else metadata end
        where key = $1 and deleted_at is null and ${schema}.make_durable() returning 1`,
        [key, title !== undefined, title ?? null, metadata !== undefined, metadata ?? null],
      )
      if (row) return
      const why = `select ${schema}.why_missing($1)->>'outcome' as outcome`
      const [missing] = await database.read(why, [key])
      throw new NoConversationError(conversation, missing!.outcome === 'deleted')
    },
  }
}

/** Looks up threads for the conversations of the page only. */
const listSql = (schema: string, order: keyof typeof pages) => `
  select c.conversation, c.created_at as "createdAt", c.title, c.metadata, t.*
  from (${pages[order](schema)}) c cross join lateral (
    select max(b.updated_at) as "updatedAt", json_agg(json_build_object(
      'actor', b.actor, 'branch', b.branch, 'head', b.head) order by b.actor, b.branch)::text as threads
    from ${schema}.branches b where b.key = c.key
  ) t order by ${order === 'name' ? '' : 't."updatedAt" desc,'} c.conversation`

const pages = {
  name: (schema: string) => `
    select c.* from ${schema}.conversations c
    where c.tenant = $1 and c.deleted_at is null and ($2::text is null or c.conversation > $2)
    order by c.conversation limit $3`,
  /** Sorts without an index: it would be written with every append, and 10,000 rows are sorted in some milliseconds. */
  recent: (schema: string) => `
    select c.* from ${schema}.conversations c join ${schema}.branches b using (key)
    where c.tenant = $1 group by c.key
    having $4::double precision is null or max(b.updated_at) < $4 or (max(b.updated_at) = $4 and c.conversation > $2)
    order by max(b.updated_at) desc, c.conversation limit $3`,
}

const toInfo = (row: Row): ConversationInfo => ({
  conversation: String(row.conversation),
  createdAt: Number(row.createdAt),
  updatedAt: Number(row.updatedAt),
  ...(row.title === null ? {} : { title: String(row.title) }),
  ...(row.metadata === null ? {} : { metadata: JSON.parse(String(row.metadata)) }),
  threads: JSON.parse(String(row.threads)),
})
