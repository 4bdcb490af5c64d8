import { toDescription } from '../check-input.ts'
import { checksum } from '../checksum.ts'
import { lastUseOf, useStep } from '../rules/last-use.ts'
import { remainingMs } from '../rules/lease-time.ts'
import type { ConversationInfo, ListConversations, Store, ThreadKey } from '../store.ts'
import { standalone } from './branch-statements.ts'
import { type Row, runSteps } from './database.ts'
import { lagMs } from './list-times.ts'
import { durable, noConversation, type PostgresContext } from './postgres-context.ts'
import { callValues, conversationKey, fromRow, keyOf, markKey, threadOf, toCall } from './rows.ts'
import { now, sameCall } from './schema/fragments.ts'
import { tableNames } from './schema/tables.ts'
import { findSpreadMarks } from './spread-reads.ts'

export function postgresSides(context: PostgresContext) {
  const { database, schema } = context
  /** The lock keeps the branch from being deleted meanwhile, and does not hold up appends. */
  const locked = `select key, line from ${schema}.branches
    where key = $1 and actor = $2 and branch = $3 for key share`
  const ofThread = `${schema}.branches b join lateral`

  /** `ids` are the last parts of the rows' keys. */
  async function save(
    thread: ThreadKey,
    ids: readonly string[],
    sql: string,
    values: readonly unknown[],
  ) {
    const key = keyOf(thread, ids)
    const all = [...key, ...values]
    const lock = { text: locked, values: [...key], mustReturn: true }
    const plain = `with b as (select key, line from ${schema}.branches where key = $1 and actor = $2 and branch = $3)`
    const isSaved = await (context.isDistributed
      ? runSteps(database, [lock, { ...standalone(`${plain} ${sql}`, all), mustReturn: false }])
      : database
          .write(`with b as (${locked}), saved as (${sql}) select 1 from b`, all)
          .then(rows => rows[0]))
    if (!isSaved) throw await noConversation(context, thread.conversation, key[0])
  }

  return {
    async saveCall(thread, call) {
      await save(
        thread,
        [call.id],
        `insert into ${schema}.calls (key, line, id, turn, time, model, plan, predicted, reported, status, error,
          checksum)
          select b.key, b.line, $4, $5, $6, $7, $8, $9, $10, $11::${schema}.call_status, $12, $13 from b
        on conflict (key, line, id) do update set ${sameCall}`,
        callValues(thread, call),
      )
    },
    async calls(thread, { limit } = {}) {
      const rows = await database.read(
        `select c.* from ${ofThread} (
          select * from ${schema}.calls c
          where c.key = $1 and c.line = b.line order by c.place desc limit $4
        ) c on true
        where b.key = $1 and b.actor = $2 and b.branch = $3 order by c.place desc`,
        [...keyOf(thread), limit ?? null],
      )
      return rows.map(row => toCall(thread, row))
    },
    async saveCache(thread, key, at, bytes) {
      await save(
        thread,
        [key],
        `insert into ${schema}.caches (key, line, cache, at, bytes, checksum)
          select b.key, b.line, $4, $5, $6, $7 from b
        on conflict (key, line, cache) do update set at = excluded.at, bytes = excluded.bytes,
          checksum = excluded.checksum`,
        [key, at, bytes, cacheSum(thread, key, at, bytes)],
      )
    },
    async loadCache(thread, key) {
      const [row] = await database.read(
        `select c.at, c.bytes, c.checksum from ${ofThread} (select * from ${schema}.caches c
          where c.key = $1 and c.line = b.line and c.cache = $4) c on true
        where b.key = $1 and b.actor = $2 and b.branch = $3`,
        [...keyOf(thread, [key]), key],
      )
      if (!row) return undefined
      const [at, bytes] = [Number(row.at), new Uint8Array(row.bytes as Uint8Array)]
      // A damaged cache counts as absent: it can be rebuilt.
      return Number(row.checksum) === cacheSum(thread, key, at, bytes) ? { at, bytes } : undefined
    },
    async saveMarks(thread, marks) {
      const keys = marks.map(({ mark }) => markKey(thread.tenant, mark))
      await save(
        thread,
        [],
        `insert into ${schema}.marks (key, line, mark, at)
          select distinct b.key, b.line, m.mark, m.at from b, unnest($4::uuid[], $5::integer[]) m (mark, at)
        on conflict do nothing`,
        [keys, marks.map(({ at }) => at)],
      )
    },
    async findMarks(tenant, marks, { limit = 16 } = {}) {
      const named = new Map(marks.map(mark => [markKey(tenant, mark), mark]))
      const wanted = [...named.keys()]
      const rows = await (context.isDistributed
        ? findSpreadMarks(context, wanted, limit)
        : database.read(marksSql(schema), [wanted, limit]))
      return rows.map(row => ({
        mark: named.get(String(row.mark).replaceAll('-', ''))!,
        at: Number(row.at),
        thread: threadOf({ ...row, tenant }),
      }))
    },
  } satisfies Partial<Store>
}

/**
 * Not by equality: the planner takes every mark for rare, and would read and sort all places of one that is not, as of a greeting.
 * With a range and this ORDER BY it takes the newest from the end of the index.
 */
const marksSql = (schema: string) => `
  select m.mark, m.at, c.conversation, b.actor, b.branch
  from unnest($1::uuid[]) with ordinality wanted (mark, number)
  cross join lateral (select * from ${schema}.marks m where m.mark between wanted.mark and wanted.mark
    order by m.mark desc, m.place desc limit $2) m
  join ${schema}.branches b on b.key = m.key and b.line = m.line
  join ${schema}.conversations c on c.key = m.key
  order by wanted.number, m.place desc`

const cacheSum = (thread: ThreadKey, key: string, at: number, bytes: Uint8Array) =>
  checksum([...keyOf(thread), key, at], bytes)

export function postgresConversations(context: PostgresContext) {
  const { database, schema } = context

  /** A time of the index: what was written before it stands on a later page. Undefined where a page has all. */
  async function oldestOfPage(
    tenant: string,
    { person, after, limit }: ListConversations,
  ): Promise<number | undefined> {
    if (!limit) return undefined
    // Those within the lag of the last page may have stood on it.
    const to = after === undefined ? null : after.updatedAt - lagMs
    const [row] = await database.read(edgeSql(schema), [tenant, person ?? null, to, limit - 1])
    return row && Number(row.time) - lagMs
  }

  return {
    async tenants() {
      const rows = await database.read(tenantsSql(context))
      return rows.map(({ tenant }) => String(tenant))
    },
    async conversations(tenant, options = {}) {
      const { only, person, after, limit, order = 'recent', unusedSince } = options
      const page = only === undefined ? order : 'only'
      const sql = listSql(schema, page)
      const values = [
        ...[tenant, only ?? after?.conversation, limit, person, unusedSince],
        ...(page === 'only' ? [conversationKey({ tenant, conversation: only! })] : []),
        ...(page === 'recent' ? [after?.updatedAt, await oldestOfPage(tenant, options)] : []),
      ]
      const rows = await database.read(
        sql,
        values.map(value => value ?? null),
      )
      return rows.map(row => fromRow<ConversationInfo>(row, infoColumns))
    },
    async describeConversation(tenant, conversation, description) {
      const key = conversationKey({ tenant, conversation })
      const { title, metadata, person } = toDescription(description)
      const [row] = await database.write(
        `update ${schema}.conversations c set title = case when $2::boolean then $3 else title end,
          metadata = case when $4::boolean then $5 else metadata end,
          person = case when $6::boolean then $7 else person end,
          last_use = case when n.now - last_use < $8 then last_use else n.now end
        from (select ${now} as now) n where key = $1 and deleted_at is null and ${durable(context)} returning 1`,
        [
          key,
          ...[title, metadata, person].flatMap(one => [one !== undefined, one ?? null]),
          useStep,
        ],
      )
      if (!row) throw await noConversation(context, conversation, key)
    },
    async deleteCalls(tenant, before) {
      let count = 0
      for (let from = Number.NEGATIVE_INFINITY; ; ) {
        const [row] = await database.write(deleteCallsSql(context), [tenant, before, from])
        count += Number(row!.count)
        if (context.isDistributed || Number(row!.count) < callsOfPage) return count
        // What other tenants keep before it is not looked at again.
        from = Number(row!.last)
      }
    },
    async deleteConversation(tenant, conversation, { unusedSince } = {}) {
      const key = conversationKey({ tenant, conversation })
      return database.transaction(async run => {
        const query = (text: string) => run(text, [key])
        // As writers do it: the branches before the conversation.
        await query(
          `select from ${schema}.branches where key = $1 order by actor, branch for update`,
        )
        // Nothing is added to a conversation while its row is locked, and each later statement sees what others wrote before.
        const [row] = await query(
          `select last_use as "usedAt" from ${schema}.conversations
            where key = $1 and deleted_at is null and ${durable(context)} for update`,
        )
        if (!row) return false
        const branches = await query(
          `select updated_at, open_turn, lease_until, lease_ms, ${now} as now from ${schema}.branches
            where key = $1 order by actor, branch for update`,
        )
        const isOld = unusedSince !== undefined
        if (isOld && isInUse(row, branches, unusedSince)) return false
        for (const table of tableNames.slice(1))
          await query(`delete from ${schema}.${table} where key = $1`)
        // What went because of its age may be imported again.
        const rest = isOld
          ? `delete from ${schema}.conversations where key = $1`
          : `update ${schema}.conversations set deleted_at = ${now}, title = null, metadata = null, person = null,
              last_use = null where key = $1`
        await query(rest)
        return true
      })
    },
  } satisfies Partial<Store>
}

/** Whether a conversation was used since then, or has a turn that is held. */
function isInUse({ usedAt }: Row, branches: readonly Row[], since: number): boolean {
  const updatedAt = branches.reduce((last, branch) => Math.max(last, Number(branch.updated_at)), 0)
  const isHeld = branches.some(({ open_turn: open, lease_until: until, lease_ms: ms, now }) =>
    open === null ? false : remainingMs({ until: Number(until), ms: Number(ms) }, Number(now)) > 0,
  )
  return isHeld || lastUseOf({ updatedAt, usedAt: Number(usedAt ?? 0) }) >= since
}

/** Looks up threads for the conversations of the page only. */
const listSql = (schema: string, page: keyof typeof pages) => `
  select c.conversation, c.created_at as "createdAt", c.last_use as "usedAt", c.title, c.metadata, c.person,
    max(b.updated_at) as "updatedAt", json_agg(json_build_object(
      'actor', b.actor, 'branch', b.branch, 'head', b.head, 'updatedAt', b.updated_at) order by b.actor, b.branch)::text as threads
  from (${pages[page](schema)}) c join ${schema}.branches b on b.key = c.key ${page === 'only' ? 'and b.key = $6::uuid' : ''}
  group by b.key, c.conversation, c.created_at, c.last_use, c.title, c.metadata, c.person
  order by ${page === 'recent' ? '"updatedAt" desc,' : ''} c.conversation`

const ofPerson = '($4::text is null or c.person = $4)'

/** Retention: the time of the index rules out nearly all, and the branches tell exactly. */
const unused = (
  schema: string,
) => `($5::double precision is null or c.written_at < $5 and coalesce(c.last_use, 0) < $5
      and not exists (select from ${schema}.branches b where b.key = c.key and b.updated_at >= $5))`

const byName = (schema: string) => `
  select c.* from ${schema}.conversations c
  where c.tenant = $1 and c.deleted_at is null and ($2::text is null or c.conversation > $2) and ${ofPerson}
    and ${unused(schema)}
  order by c.conversation limit $3`

const pages = {
  /** By its key: of spread tables one machine is asked. */
  only: (schema: string) => `
    select c.* from ${schema}.conversations c where c.key = $6::uuid and c.tenant = $1 and c.conversation = $2
      and c.deleted_at is null and ${ofPerson} and ${unused(schema)} limit $3`,
  name: byName,
  /** Between the times that the index has, sorted by those of the branches. */
  recent: (schema: string) => `
    select c.* from ${schema}.conversations c join ${schema}.branches b using (key)
    where c.tenant = $1 and c.deleted_at is null and ${ofPerson} and ${unused(schema)}
      and c.written_at <= coalesce($6::double precision, 'infinity') and c.written_at >= coalesce($7::double precision, '-infinity')
    group by c.key
    having $6::double precision is null or max(b.updated_at) < $6 or (max(b.updated_at) = $6 and c.conversation > $2)
    order by max(b.updated_at) desc, c.conversation limit $3`,
}

const edgeSql = (schema: string) => `
  select written_at as time from ${schema}.conversations
  where tenant = $1 and deleted_at is null and ($2::text is null or person = $2)
    and ($3::double precision is null or written_at < $3)
  order by written_at desc offset $4 limit 1`

/** From name to name by the index; tables that are spread over machines have one for each of them. */
const tenantsSql = ({ schema, isDistributed }: PostgresContext) => {
  const rows = `from ${schema}.conversations where deleted_at is null`
  if (isDistributed) return `select tenant ${rows} group by tenant order by tenant collate "C"`
  return `with recursive names as (
    (select tenant ${rows} order by tenant limit 1)
    union all select (select c.tenant ${rows.replace(' where', ' c where')} and c.tenant > n.tenant order by c.tenant limit 1)
      from names n where n.tenant is not null
  ) select tenant from names where tenant is not null`
}

const callsOfPage = 1_000

/** The oldest of a tenant. Where tables are spread over machines, all at once: there no page can be taken. */
const deleteCallsSql = (context: PostgresContext) => {
  const { schema, isDistributed } = context
  const which = `where c.tenant = $1 and x.key = c.key and x.time < $2 and x.time >= $3`
  const conversations = `${schema}.conversations c`
  if (isDistributed)
    return `with gone as (
      delete from ${schema}.calls x using ${conversations} ${which} and ${durable(context)} returning 1
    ) select count(*) as count from gone`
  return `with page as (
    select x.key, x.line, x.id from ${schema}.calls x, ${conversations} ${which} order by x.time limit ${callsOfPage}
  ), gone as (
    delete from ${schema}.calls x using page p
      where x.key = p.key and x.line = p.line and x.id = p.id and ${durable(context)} returning x.time
  ) select count(*) as count, max(time) as last from gone`
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
