import { readFile } from 'node:fs/promises'
import type { History } from '@throughline/history'
import { NoConversationError } from '@throughline/stores/errors'
import { z } from 'zod'
import { packageFile } from '../package.ts'
import { defineRoute } from './route.ts'
import { name } from './schemas.ts'

export const isNew = z.boolean().describe('false if it was there already')

/** Samples for a new server, which has no conversations yet. A sample that is there already is opened, not made again. */
export const sampleRoutes = [
  defineRoute('post', '/samples/conversation', {
    scope: 'chat',
    summary: 'Makes the sample conversation, a project chat of 168 turns, if it is not there.',
    answer: z.object({ conversation: name, isNew }),
    handle: ({ log: { history } }) => importSample(history),
  }),
]

/** The sample conversation: a project chat of 168 turns, with its times. Once it is there, it is the same one again. */
function importSample(history: History) {
  return underFreeName('sample-toad-patrol', async conversation => {
    const [info] = await history.conversations({ only: conversation, limit: 1 })
    if (info) return { conversation, isNew: false }
    const messages: unknown = JSON.parse(
      await readFile(packageFile('examples/project-chat.json'), 'utf8'),
    )
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
      const isDeleted = [error, (error as Error).cause].some(
        one => one instanceof NoConversationError,
      )
      if (!isDeleted || number >= mostNames) throw error
    }
  }
}

/** A tenant that deletes the sample more often gets no new one. */
const mostNames = 100
