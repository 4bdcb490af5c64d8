-- A file as the first schema leaves it, with its word index. Never changed once released: it must open for ever.
CREATE TABLE conversations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL,
  conversation TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  deleted_at INTEGER,
  title TEXT,
  metadata TEXT,
  person TEXT,
  used_at INTEGER,
  checksum INTEGER NOT NULL,
  UNIQUE (tenant, conversation)
);
CREATE INDEX conversations_person ON conversations (tenant, person) WHERE person IS NOT NULL;
CREATE TABLE branches (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation_id INTEGER NOT NULL REFERENCES conversations (id),
  actor TEXT NOT NULL,
  branch TEXT NOT NULL,
  parent_id INTEGER REFERENCES branches (id),
  fork_at INTEGER NOT NULL,
  head INTEGER NOT NULL,
  turns INTEGER NOT NULL,
  open_turn INTEGER,
  owner TEXT,
  epoch INTEGER NOT NULL DEFAULT 0,
  lease_until INTEGER NOT NULL DEFAULT 0,
  updated_at INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  UNIQUE (conversation_id, actor, branch)
);
CREATE INDEX branches_parent ON branches (parent_id) WHERE parent_id IS NOT NULL;
CREATE TABLE turns (
  branch_id INTEGER NOT NULL REFERENCES branches (id),
  turn INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('open', 'completed', 'failed', 'cancelled', 'interrupted')),
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  error TEXT,
  key TEXT,
  body TEXT,
  epoch INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (branch_id, turn)
) WITHOUT ROWID;
CREATE UNIQUE INDEX turns_key ON turns (branch_id, key) WHERE key IS NOT NULL;
CREATE UNIQUE INDEX turns_open ON turns (branch_id) WHERE status = 'open';
CREATE TABLE entries (
  place INTEGER PRIMARY KEY,
  branch_id INTEGER NOT NULL AS (place >> 24) VIRTUAL,
  seq INTEGER NOT NULL AS (place & 16777215) VIRTUAL,
  id TEXT NOT NULL,
  turn INTEGER NOT NULL,
  role TEXT NOT NULL,
  time INTEGER NOT NULL,
  tokens TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  payload TEXT NOT NULL
);
CREATE UNIQUE INDEX entries_id ON entries (branch_id, id);
CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries
WHEN substr(NEW.payload, 1, 14) <> '{"erased":true'
  OR NEW.place <> OLD.place OR NEW.id <> OLD.id OR NEW.turn <> OLD.turn OR NEW.role <> OLD.role
  OR NEW.time <> OLD.time
BEGIN
  SELECT RAISE(ABORT, 'an entry is never changed');
END;
CREATE TRIGGER entries_never_replaced BEFORE INSERT ON entries
WHEN EXISTS (SELECT 1 FROM entries WHERE place = NEW.place)
  OR EXISTS (SELECT 1 FROM entries WHERE branch_id = NEW.place >> 24 AND id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'an entry is never replaced');
END;
CREATE TRIGGER entries_never_go BEFORE DELETE ON entries
WHEN NOT EXISTS (
  SELECT 1 FROM branches JOIN conversations ON conversations.id = conversation_id
  WHERE branches.id = OLD.place >> 24 AND deleted_at IS NOT NULL
)
BEGIN
  SELECT RAISE(ABORT, 'an entry goes only with its whole conversation');
END;
CREATE TABLE calls (
  number INTEGER PRIMARY KEY,
  branch_id INTEGER NOT NULL REFERENCES branches (id),
  id TEXT NOT NULL,
  turn INTEGER NOT NULL,
  time INTEGER NOT NULL,
  model TEXT NOT NULL,
  plan BLOB NOT NULL,
  depth INTEGER NOT NULL,
  predicted INTEGER NOT NULL,
  reported INTEGER,
  status TEXT NOT NULL,
  error TEXT,
  checksum INTEGER NOT NULL,
  UNIQUE (branch_id, id)
);
CREATE INDEX calls_branch ON calls (branch_id);
CREATE TABLE caches (
  branch_id INTEGER NOT NULL REFERENCES branches (id),
  key TEXT NOT NULL,
  at INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (branch_id, key)
);
CREATE TABLE marks (
  number INTEGER PRIMARY KEY,
  branch_id INTEGER NOT NULL REFERENCES branches (id),
  at INTEGER NOT NULL,
  mark TEXT NOT NULL,
  UNIQUE (branch_id, mark, at)
);
CREATE INDEX marks_found ON marks (mark);
CREATE TABLE waiting (
  branch_id INTEGER PRIMARY KEY REFERENCES branches (id),
  after INTEGER NOT NULL
);
CREATE VIRTUAL TABLE words USING fts5 (text, content = '', detail = none, columnsize = 0, tokenize = ascii);
INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
PRAGMA user_version = 1;

INSERT INTO conversations VALUES
  (1, 'acme', 'lemonade', 1000, NULL, 'Birds', '{"a":1}', 'ada', NULL, 531895465),
  (2, 'acme', 'gone', 1000, 1500, NULL, NULL, NULL, NULL, 2983372492);
INSERT INTO branches VALUES
  (1, 1, 'Dr. Smith', 'main', NULL, 0, 3, 2, 2, 'ada', 2, 3000, 2000, 2740001678),
  (2, 1, 'Dr. Smith', 'edit', 1, 2, 3, 1, NULL, NULL, 0, 0, 2100, 4252983127);
INSERT INTO turns VALUES
  (1, 1, 'completed', 1, 2, 1000, 1100, NULL, 'k', 'hash', 1, 1863086272),
  (1, 2, 'open', 3, 3, 2000, NULL, NULL, NULL, NULL, 2, 3391704358);
INSERT INTO entries (place, id, turn, role, time, tokens, checksum, payload) VALUES
  (16777217, 'one', 1, 'user', 1000, '{"o200k":2}', 3935311230, '{"role":"user","content":"the pelican"}'),
  (16777218, 'two', 1, 'assistant', 1100, '{}', 2217884476, '{"role":"assistant","content":"a bird"}'),
  (16777219, 'three', 2, 'user', 2000, '{}', 2189415060, '{"role":"user","content":"and now?"}'),
  (33554435, 'other', 0, 'user', 2100, '{}', 4054621560, '{"role":"user","content":"another zebra"}');
INSERT INTO calls VALUES (1, 1, 'call', 1, 1050, 'llama', x'ABAE0500', 0, 10, 12, 'failed', 'overloaded', 2132315552);
INSERT INTO caches VALUES (1, 'fold', 2, 3161889424, x'01');
-- Two are in the index, two wait for it.
INSERT INTO words (rowid, text) VALUES (16777217, 'the pelican'), (33554435, 'another zebra');
INSERT INTO waiting VALUES (1, 1);
