import { readFile } from 'node:fs/promises'
import type { History } from '../../history/index.ts'
import { NoConversationError } from '../../stores/store-error.ts'
import { packageFile } from '../package.ts'

const file = packageFile('examples/project-chat.json')

/** The sample conversation: a project chat of 168 turns, with its times. Once it is there, it is the same one again. */
export function importSample(history: History) {
  return underFreeName('sample-toad-patrol', async conversation => {
    const [info] = await history.conversations({ only: conversation, limit: 1 })
    if (info) return { conversation, isNew: false }
    const messages: unknown = JSON.parse(await readFile(file, 'utf8'))
    const chat = JSON.stringify({ title: 'Toad patrol', messages, time: 0 })
    const { deleted } = await history.import(chat, { as: conversation })
    if (deleted.length > 0) throw new NoConversationError(conversation, true)
    return { conversation, isNew: true }
  })
}

/** Tries a name, then the same with a number: the name of a deleted conversation is never free again. */
export async function underFreeName<Made>(name: string, make: (name: string) => Promise<Made>) {
  for (let number = 1; ; number++) {
    try {
      return await make(number === 1 ? name : `${name}-${number}`)
    } catch (error) {
      const isDeleted = [error, (error as Error).cause].some(one => one instanceof NoConversationError)
      if (!isDeleted || number >= mostNames) throw error
    }
  }
}

/** A tenant that deletes the sample more often gets no new one. */
const mostNames = 100
