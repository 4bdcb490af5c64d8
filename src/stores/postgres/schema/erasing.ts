import { erasedPrefix } from '../../erased.ts'
import { isBranch, withPlace } from './fragments.ts'

/** Lets the text of an entry be erased: its payload becomes a mark, and nothing else of it changes. */
export const addErasing = (schema: string): string => `
create or replace function ${schema}.refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and exists (
    select from ${schema}.conversations c where c.key = old.key and c.deleted_at is not null
  ) then
    return old;
  end if;
  if tg_op = 'UPDATE' and starts_with(new.payload, '${erasedPrefix}')
    and (new.key, new.line, new.seq, new.id, new.turn, new.role, new.time)
      = (old.key, old.line, old.seq, old.id, old.turn, old.role, old.time)
  then
    return new;
  end if;
  raise exception 'the log is append-only: % of an entry is refused', tg_op
    using errcode = 'restrict_violation', hint = 'Delete the conversation as a whole.';
end $$;

-- Words of an entry that waits for the index have no row, and are read later.
create function ${schema}.erase_entry(
  p_key uuid, p_actor text, p_branch text, p_seq integer, p_checksum bigint, p_tokens text, p_payload text, p_words integer[]
) returns json language plpgsql as $$
declare
  b ${schema}.branches;
  e ${schema}.entries;
begin
  perform ${schema}.make_durable();
  perform from ${schema}.branches where key = p_key and actor = p_actor order by branch for update;
  select * into b from ${schema}.branches where ${isBranch};
  if not found then return ${schema}.why_missing(p_key); end if;
  select * into e from ${schema}.entries_of(b, p_seq, p_seq);
  update ${schema}.entries set payload = p_payload, tokens = p_tokens,
      checksum = ${withPlace('p_checksum', 'seq', 'turn')}
    where key = e.key and line = e.line and seq = e.seq;
  update ${schema}.words set words = p_words where key = e.key and line = e.line and seq = e.seq;
  delete from ${schema}.caches c using ${schema}.branches x
    where x.key = p_key and x.actor = p_actor and c.key = x.key and c.line = x.line;
  delete from ${schema}.calls c using ${schema}.branches x
    where x.key = p_key and x.actor = p_actor and c.key = x.key and c.line = x.line and c.turn >= e.turn;
  return json_build_object('outcome', 'ok', 'head', b.head);
end $$;
`
