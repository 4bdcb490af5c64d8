import { toDescription } from '../check-input.ts'
import { useStep } from '../rules/last-use.ts'
import type { ConversationInfo, Store } from '../store.ts'
import { noConversation, type PostgresContext } from './postgres-context.ts'
import { conversationKey, fromRow } from './rows.ts'

export function postgresConversations(context: PostgresContext) {
  const { database, schema } = context
  return {
    async tenants() {
      const rows = await database.read(
        `select tenant from ${schema}.conversations where deleted_at is null group by tenant order by tenant collate "C"`,
        [],
      )
      return rows.map(({ tenant }) => String(tenant))
    },
    async conversations(tenant, { only, person, after, limit, order = 'recent' } = {}) {
      const page = only === undefined ? order : 'only'
      const time = page === 'recent' ? [after?.updatedAt ?? null] : []
      const values = [tenant, only ?? after?.conversation ?? null, limit ?? null, person ?? null, ...time]
      const rows = await database.read(listSql(schema, page), values)
      return rows.map(row => fromRow<ConversationInfo>(row, infoColumns))
    },
    async describeConversation(tenant, conversation, description) {
      const key = conversationKey({ tenant, conversation })
      const { title, metadata, person } = toDescription(description)
      const [row] = await database.write(
        `update ${schema}.conversations set title = case when $2::boolean then $3 else title end,
          metadata = case when $4::boolean then $5 else metadata end,
          person = case when $6::boolean then $7 else person end,
          last_use = case when ${schema}.now_ms() - last_use < $8 then last_use else ${schema}.now_ms() end
        where key = $1 and deleted_at is null and ${schema}.make_durable() returning 1`,
        [key, ...[title, metadata, person].flatMap(one => [one !== undefined, one ?? null]), useStep],
      )
      if (!row) throw await noConversation(context, conversation, key)
    },
    async deleteCalls(tenant, before) {
      const [row] = await database.write(`select ${schema}.delete_calls($1, $2) as count`, [tenant, before])
      return Number(row!.count)
    },
    async deleteConversation(tenant, conversation, { unusedSince } = {}) {
      const key = conversationKey({ tenant, conversation })
      const sql = `select ${schema}.delete_conversation($1, $2) as "isDone"`
      const [row] = await database.write(sql, [key, unusedSince ?? null])
      return row!.isDone === true
    },
  } satisfies Partial<Store>
}

/** Looks up threads for the conversations of the page only. */
const listSql = (schema: string, page: keyof typeof pages) => `
  select c.conversation, c.created_at as "createdAt", c.last_use as "usedAt", c.title, c.metadata, c.person, t.*
  from (${pages[page](schema)}) c cross join lateral (
    select max(b.updated_at) as "updatedAt", json_agg(json_build_object(
      'actor', b.actor, 'branch', b.branch, 'head', b.head, 'updatedAt', b.updated_at) order by b.actor, b.branch)::text as threads
    from ${schema}.branches b where b.key = c.key
  ) t order by ${page === 'recent' ? 't."updatedAt" desc,' : ''} c.conversation`

const ofPerson = '($4::text is null or c.person = $4)'

const byName = (operator: string) => (schema: string) =>
  `
  select c.* from ${schema}.conversations c
  where c.tenant = $1 and c.deleted_at is null and ($2::text is null or c.conversation ${operator} $2) and ${ofPerson}
  order by c.conversation limit $3`

const pages = {
  only: byName('='),
  name: byName('>'),
  /** Sorts without an index: it would be written with every append, and 10,000 rows are sorted in some milliseconds. */
  recent: (schema: string) => `
    select c.* from ${schema}.conversations c join ${schema}.branches b using (key)
    where c.tenant = $1 and ${ofPerson} group by c.key
    having $5::double precision is null or max(b.updated_at) < $5 or (max(b.updated_at) = $5 and c.conversation > $2)
    order by max(b.updated_at) desc, c.conversation limit $3`,
}

const parse = (text: unknown) => JSON.parse(String(text))

const infoColumns = {
  conversation: String,
  createdAt: Number,
  updatedAt: Number,
  usedAt: Number,
  title: String,
  metadata: parse,
  person: String,
  threads: parse,
}
