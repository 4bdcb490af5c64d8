import { hashWord } from '../.build/stores/postgres/word-hashes.js'

const vocabulary = 4_000
const wordsOfEntry = 8
/** The tenant that has half of all conversations; 500 others share the rest. */
export const bigTenant = 'big'
export const perPerson = 100
export const yearMs = 365 * 86_400_000

/** Words of letters: the first stand in half of all entries, the last in one of a thousand. */
const wordAt = n => `v${[...String(n)].map(digit => 'abcdefghij'[digit]).join('')}x`
export const words = {
  'a word of every second entry': wordAt(0),
  'a word of one entry in a thousand': wordAt(vocabulary - 1),
}

/** The time of a conversation: spread over a year before `to`, whatever its number. */
export const timeOf = (n, to) => to - ((n * 7_919_000_003) % yearMs)

/**
 * Adds conversations of ten entries, in the rows that the store itself writes, from number `from` on. Only checksums are left out: the
 * database cannot compute them, and nothing here reads these entries.
 */
export async function fill(query, schema, { from, to, now }) {
  const hashes = Array.from({ length: vocabulary }, (_, n) => hashWord(bigTenant, wordAt(n)))
  const each = `
    select n, tenant, 'talk-' || n as conversation, time,
      left(encode(sha256(convert_to(octet_length(tenant) || ':' || tenant || 'talk-' || n, 'UTF8')), 'hex'), 32)::uuid as key
    from (
      select n, case when n % 2 = 0 then '${bigTenant}' else 'small-' || (n / 2) % 500 end as tenant,
        ${now}::float8 - (n::bigint * 7919000003) % ${yearMs} as time
      from generate_series(${from}, ${to - 1}) n
    ) n`
  const number = `floor(${vocabulary} * ((hashint4(n * 10 + seq + word * 1000003) & 2147483647) / 2147483648::float8) ^ 3)::integer`
  const inEntry = what => `array(select ${what} from generate_series(1, ${wordsOfEntry}) word)`
  const seqs = 'cross join generate_series(1, 10) seq'
  const markOf = text =>
    `left(encode(sha256(convert_to(octet_length(tenant) || ':' || tenant || ${text}, 'UTF8')), 'hex'), 32)::uuid`
  const table = name => `${schema}.${name}`

  // Made once over all rows it takes minutes, row by row an hour.
  await query(`drop index if exists ${table('words_found')}`)
  await query(`insert into ${table('conversations')} (key, created_at, written_at, lines, tenant, conversation, title, person)
    select key, time - 600000, time, 1, tenant, conversation, 'Talk ' || n, 'person-' || n / ${perPerson}
    from (${each}) n order by key`)
  await query(`insert into ${table('branches')} (key, line, head, turns, epoch, updated_at, actor, branch)
    select key, 1, 10, 5, 5, time, 'assistant', 'main' from (${each}) n order by key`)
  await query(`insert into ${table('turns')} (key, line, turn, first, last, epoch, status, started_at, ended_at)
    select key, 1, turn, turn * 2 - 1, turn * 2, turn, 'completed', time - 60000, time
    from (${each}) n cross join generate_series(1, 5) turn order by key`)
  await query(`insert into ${table('entries')} (time, line, seq, turn, role, key, id, checksum, tokens, payload)
    select time - 600000 + seq * 60000, 1, seq, (seq + 1) / 2, case seq % 2 when 1 then 'user' else 'assistant' end::${schema}.role,
      key, 'm-' || n || '-' || seq, 0, '{"estimate":30}', '{"message":{"role":"' || case seq % 2 when 1 then 'user' else 'assistant' end
        || '","content":"' || array_to_string(${inEntry(`'v' || translate((${number})::text, '0123456789', 'abcdefghij') || 'x'`)}, ' ') || '"}}'
    from (select * from (${each}) n order by key) n ${seqs}`)
  await query(
    `insert into ${table('words')} (time, key, line, seq, words)
    select time - 600000 + seq * 60000, key, 1, seq,
      ${inEntry(`case tenant when '${bigTenant}' then ($1::integer[])[1 + ${number}] else hashtext(tenant || ${number}) end`)}
        || case tenant when '${bigTenant}' then hashtext('talk-' || n) else hashtext(tenant || n) end
    from (select * from (${each}) n order by key) n ${seqs}`,
    [hashes],
  )
  await query(`insert into ${table('marks')} (mark, key, line, at)
    select case when seq = 1 then ${markOf(`'hello'`)} else ${markOf(`'m-' || n || '-' || seq`)} end, key, 1, seq
    from (select * from (${each}) n order by key) n ${seqs} where seq % 2 = 1`)
  await query(`insert into ${table('calls')} (time, line, turn, predicted, status, key, id, model, plan, checksum)
    select time, 1, 5, 300, 'completed', key, 'call-' || n, 'model', repeat('[1,2,3]', 60), 0
    from (select * from (${each}) n order by key) n`)
  await query(
    `create index words_found on ${table('words')} using gin (words) with (gin_pending_list_limit = 512)`,
  )
}
