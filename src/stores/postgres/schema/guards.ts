/** Triggers that refuse every change of the log: entries are only deleted with their conversation. */
export const guards = (schema: string): string => `
create function ${schema}.refuse_change() returns trigger language plpgsql as $$
declare
  added ${schema}.entries;
begin
  -- Not a change of the log: an entry that was not in the index of words comes into it.
  if tg_op = 'UPDATE' and old.words is null then
    added := new;
    added.words := null;
    if added is not distinct from old then return new; end if;
  end if;
  if tg_op = 'DELETE' and exists (
    select from ${schema}.conversations c where c.key = old.key and c.deleted_at is not null
  ) then
    return old;
  end if;
  raise exception 'the log is append-only: % of an entry is refused', tg_op
    using errcode = 'restrict_violation', hint = 'Delete the conversation as a whole.';
end $$;

create trigger entries_append_only before update or delete on ${schema}.entries
  for each row execute function ${schema}.refuse_change();

create trigger entries_not_truncated before truncate on ${schema}.entries
  for each statement execute function ${schema}.refuse_change();
`
