import { checkNames, checkTime } from '../check-input.ts'
import type { Store } from '../store.ts'
import { checkKey } from './check-key.ts'
import { conversationKey } from './conversation-key.ts'
import type { Database } from './database.ts'

export function postgresDeletes(
  database: Database,
  schema: string,
): Pick<Store, 'deleteCalls' | 'deleteConversation'> {
  return {
    async deleteCalls(tenant, before) {
      checkNames({ tenant })
      checkTime('before', before)
      const sql = `select ${schema}.delete_calls($1, $2) as count`
      const [row] = await database.write(sql, [tenant, before])
      return Number(row!.count)
    },
    async deleteConversation(tenant, conversation, { unusedSince } = {}) {
      checkKey({ tenant, conversation, actor: '-', branch: '-' })
      if (unusedSince !== undefined) checkTime('unusedSince', unusedSince)
      const sql = `select ${schema}.delete_conversation($1, $2) as "isDone"`
      const key = conversationKey({ tenant, conversation })
      const [row] = await database.write(sql, [key, unusedSince ?? null])
      return row!.isDone === true
    },
  }
}
