import type { Thread } from '../history/thread.ts'
import { type DeletionOptions, mayDelete, sayDeleted, withDeletionOptions } from './may-delete.ts'
import { wholeNumber } from './number-option.ts'
import { type AddCommand, type ThreadOptions, withThread, writeHistory } from './open-log.ts'
import { print, UserError } from './print.ts'

const commands = {
  pin: 'from now on the message is always sent',
  unpin: 'takes a pin back',
  hide: 'from now on the message is never sent; it stays in the log',
  unhide: 'takes a hide back',
}

export function addHandCommands(add: AddCommand): void {
  for (const [name, description] of Object.entries(commands))
    addForMessage(add, name, description).action(
      onMessage(async (thread, place) => {
        const { first, last } = await thread[name as keyof typeof commands](place)
        print(`${name} ${first === last ? `#${first}` : `#${first} to #${last}`}`)
      }),
    )
  withDeletionOptions(
    addForMessage(add, 'erase', 'erases the text of a message from all that is stored; a mark stays'),
  ).action(
    onMessage(async (thread, place, options: DeletionOptions) => {
      const deletion = { deleted: [`#${place}`] }
      if (!(await mayDelete(options, async () => deletion, 'message'))) return
      await thread.erase(place)
      sayDeleted(deletion, 'erased', 'message')
    }),
  )
}

const addForMessage = (add: AddCommand, name: string, description: string) =>
  withThread(
    add(`${name} <conversation>`, description).argument(
      '<place>',
      'of the message, as "throughline log show --places" tells it',
      wholeNumber(1),
    ),
  )

function onMessage<Options>(use: (thread: Thread, place: number, options: Options) => Promise<void>) {
  return (conversation: string, place: number, options: ThreadOptions & Options) =>
    writeHistory(options, async history => {
      const { actor, branch } = options
      const thread = history.thread(conversation, { actor, branch })
      if ((await thread.entries({ at: place, limit: 1 }))[0]?.seq !== place)
        throw new UserError(`there is no message #${place} in ${conversation}/${actor}/${branch}`)
      await use(thread, place, options)
    })
}
