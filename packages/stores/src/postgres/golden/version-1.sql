-- Rows as the first schema has them. Never changed once released: later versions must read them for ever.
insert into golden.conversations (key, created_at, deleted_at, lines, tenant, conversation, title, metadata, person) values
  ('ccad072b-0a5b-2f55-e4e9-04c9b7561d27', 1000, null, 2, 'acmé', 'lémonade', 'Birds', '{"a":1}', 'ada'),
  ('28ce21d3-3674-e3dd-41ac-1d829441b8bc', 1000, 1500, 1, 'acmé', 'gone', null, null, null);
insert into golden.branches
  (key, line, head, turns, epoch, updated_at, lease_until, lease_ms, open_turn, fork_at, actor, branch, lease_owner, fork_of, past_lines, past_ends)
values
  ('ccad072b-0a5b-2f55-e4e9-04c9b7561d27', 1, 4, 2, 2, 2000, 3000, 1000, 2, null, 'assistant', 'main', 'ada', null, null, null),
  ('ccad072b-0a5b-2f55-e4e9-04c9b7561d27', 2, 3, 2, 1, 2100, 9000000000000000, 30000, 2, 2, 'assistant', 'edit', 'bob', 'main', '{1}', '{2}');
insert into golden.turns (key, line, turn, first, last, epoch, status, started_at, ended_at, error, idempotency_key, body) values
  ('ccad072b-0a5b-2f55-e4e9-04c9b7561d27', 1, 1, 1, 2, 1, 'failed', 1000, 1100, 'overloaded', 'k', 'hash'),
  ('ccad072b-0a5b-2f55-e4e9-04c9b7561d27', 1, 2, 4, null, 2, 'open', 2000, null, null, null, null),
  ('ccad072b-0a5b-2f55-e4e9-04c9b7561d27', 2, 2, 3, null, 1, 'open', 2100, null, null, null, null);
insert into golden.entries (time, line, seq, turn, role, key, id, checksum, tokens, payload) values
  (1000, 1, 1, 1, 'user', 'ccad072b-0a5b-2f55-e4e9-04c9b7561d27', 'one', 3093012569, '{"o200k":2}', '{"role":"user","content":"blue heron"}'),
  (1100, 1, 2, 1, 'assistant', 'ccad072b-0a5b-2f55-e4e9-04c9b7561d27', 'two', 3563980745, '{}', '{"role":"assistant","content":"a bird"}'),
  (1200, 1, 3, 0, 'user', 'ccad072b-0a5b-2f55-e4e9-04c9b7561d27', 'three', 2498820394, '{}', '{"role":"user","content":"seeded"}'),
  (2000, 1, 4, 2, 'user', 'ccad072b-0a5b-2f55-e4e9-04c9b7561d27', 'four', 2920543096, '{}', '{"role":"user","content":"and then?"}'),
  (2100, 2, 3, 2, 'user', 'ccad072b-0a5b-2f55-e4e9-04c9b7561d27', 'other', 2530238636, '{}', '{"role":"user","content":"edited"}');
insert into golden.words (time, key, line, seq, words) values
  (1000, 'ccad072b-0a5b-2f55-e4e9-04c9b7561d27', 1, 1, '{-1859523155,-1226021315}'),
  (1100, 'ccad072b-0a5b-2f55-e4e9-04c9b7561d27', 1, 2, '{865639614}'),
  (1200, 'ccad072b-0a5b-2f55-e4e9-04c9b7561d27', 1, 3, '{597941829}'),
  (2100, 'ccad072b-0a5b-2f55-e4e9-04c9b7561d27', 2, 3, '{-293305770}');
insert into golden.calls (time, line, turn, predicted, reported, status, key, id, model, plan, error, checksum) values
  (1050, 1, 1, 10, null, 'failed', 'ccad072b-0a5b-2f55-e4e9-04c9b7561d27', 'z', 'llama', '{}', 'overloaded', 3600197352),
  (1060, 1, 1, 10, 12, 'completed', 'ccad072b-0a5b-2f55-e4e9-04c9b7561d27', 'a', 'llama', '{}', null, 3489854818);
insert into golden.caches (key, line, at, cache, checksum, bytes) values
  ('ccad072b-0a5b-2f55-e4e9-04c9b7561d27', 1, 2, 'fold', 3925764859, '\x07');
