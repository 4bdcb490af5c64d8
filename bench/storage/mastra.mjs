import { randomUUID } from 'node:crypto'
import { LibSQLStore } from '@mastra/libsql'
import { createFolder } from './places.mjs'

const names = { threadId: 'bench', resourceId: 'bench' }

/** Both messages of a turn in one `saveMessages`, as its agents do at the end of a turn; nothing is kept before. */
export const mastra = turns => ({
  name: 'mastra libsql saveMessages',
  turns,
  createPlace: createFolder,
  async open({ path }) {
    const storage = new LibSQLStore({ id: 'bench', url: `file:${path}` })
    await storage.init()
    const memory = await storage.getStore('memory')
    const now = new Date()
    const thread = {
      id: names.threadId,
      resourceId: names.resourceId,
      createdAt: now,
      updatedAt: now,
    }
    await memory.saveThread({ thread: { ...thread, title: 'bench', metadata: {} } })
    return {
      async take({ user, reply }) {
        await memory.saveMessages({
          messages: [toMessage('user', user), toMessage('assistant', reply)],
        })
      },
      async count() {
        return (await memory.listMessages({ threadId: names.threadId, perPage: false })).messages
          .length
      },
      close: () => storage.close(),
    }
  },
})

function toMessage(role, text) {
  const content = { format: 2, parts: [{ type: 'text', text }] }
  return { id: randomUUID(), role, type: 'v2', createdAt: new Date(), content, ...names }
}
