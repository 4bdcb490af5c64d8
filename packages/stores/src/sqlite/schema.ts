import { erasedPrefix } from '../erased.ts'

/** A branch has at most 2^24 (16 million) entries; the 29 bits above them number the branches. */
export const maxSeq = 2 ** 24 - 1

/** The key of an entry's row: branch and seq in one number, which is SQLite's row id and needs no index. */
export const placeOf = (branchId: number, seq: number) => branchId * 2 ** 24 + seq

export const branchIn = (place: number): number => Math.floor(place / 2 ** 24)
export const seqIn = (place: number): number => place % 2 ** 24

export interface Migration {
  /** The number of the schema after this step: the file keeps it as `user_version`. */
  readonly number: number
  readonly name: string
  readonly sql: string
}

/**
 * Each step takes the file one number further, in one transaction. A step is never changed: whatever changes tables, columns or
 * checksums is a new step with the next number (schema-number.test.ts). Numbers 1 to 3 stood for several sets of tables.
 * Each row has a checksum of itself, so that damage is noticed when it is read (rows.ts).
 * Long names stand once, in `conversations` and `branches`; the logical key still begins with tenant and conversation.
 */
export const migrations: readonly Migration[] = [
  {
    number: 4,
    name: '4: the log',
    sql: `
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
      WHEN substr(NEW.payload, 1, ${erasedPrefix.length}) <> '${erasedPrefix}'
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
      );`,
  },
]
