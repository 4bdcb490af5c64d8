import { z } from 'zod'
import type { Hands, Thread } from '../history/index.ts'
import { defineMcpTool, type McpTool, threadFields } from './define-mcp-tool.ts'
import { findThread } from './find-thread.ts'

const effects = {
  pin: 'Pins a message of a conversation: from now on the model is always sent it.',
  hide: 'Hides a message of a conversation: from now on the model is never sent it. It stays in the log.',
}

/** The tools that pin and hide a message, or take that back, and say what it holds for. */
export const handTools = (handsOf: (thread: Thread) => Hands): readonly McpTool[] =>
  (['pin', 'hide'] as const).map(kind =>
    defineMcpTool(
      `${kind}_message`,
      `${effects[kind]} A call and its results go together.`,
      {
        ...threadFields,
        place: z.int().min(1).describe('the place of the message, such as 12 for #12'),
        undo: z.boolean().default(false).describe('true takes it back'),
      },
      async (history, { place, undo, ...name }) => {
        const { thread } = await findThread(history, name)
        const { first, last } = await handsOf(thread)[undo ? (`un${kind}` as const) : kind](place)
        const messages = first === last ? `#${first} is` : `#${first} to #${last} are`
        return `${messages} ${undo ? 'no longer ' : ''}${kind === 'pin' ? 'pinned' : 'hidden'}.`
      },
    ),
  )
