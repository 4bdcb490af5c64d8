import { checkLimit, checkMarks, checkNames, checkThread } from '../check-input.ts'
import type { MarkedPlace, Store } from '../store.ts'
import { needBranch } from './branch-rows.ts'
import type { SqliteContext } from './sqlite-context.ts'

/** Keeps the marks by which places are found again. */
export function sqliteMarks(context: SqliteContext): Pick<Store, 'saveMarks' | 'findMarks'> {
  return {
    async saveMarks(thread, marks) {
      checkThread(thread)
      checkMarks(marks)
      const connection = context.ready()
      connection.write(() => {
        const { id } = needBranch(connection, thread)
        const sql = 'INSERT INTO marks (branch_id, mark, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
        for (const { mark, at } of marks) connection.run(sql, id, mark, at)
      })
    },
    async findMarks(tenant, marks, { limit = 16 } = {}) {
      checkNames({ tenant })
      checkLimit(limit)
      const connection = context.ready()
      return marks.flatMap(mark =>
        connection
          .all<PlaceRow>(placesSql, mark, tenant, limit)
          .map(({ at, ...names }) => ({ mark, at, thread: { tenant, ...names } })),
      )
    },
  }
}

type PlaceRow = Pick<MarkedPlace, 'at'> & Omit<MarkedPlace['thread'], 'tenant'>

const placesSql = `SELECT at, conversation, actor, branch FROM marks
  JOIN branches ON branches.id = branch_id JOIN conversations ON conversations.id = conversation_id
  WHERE mark = ? AND tenant = ? ORDER BY marks.number DESC LIMIT ?`
