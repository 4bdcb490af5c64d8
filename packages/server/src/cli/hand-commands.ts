import type { Command } from 'commander'
import { askServer, type ServerFlags, withServer } from './ask-server.ts'
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

type HandName = keyof typeof commands

/** What can be done with one message, in a database or by a server that holds it. */
interface MessageHands {
  lay(name: HandName): Promise<{ readonly first: number; readonly last: number }>
  erase(options: { readonly dryRun: boolean }): Promise<void>
}

export function addHandCommands(add: AddCommand): void {
  for (const [name, description] of Object.entries(commands))
    addForMessage(add, name, description, 'chat').action(
      onMessage(async message => {
        const { first, last } = await message.lay(name as HandName)
        print(`${name} ${first === last ? `#${first}` : `#${first} to #${last}`}`)
      }),
    )
  withDeletionOptions(
    addForMessage(
      add,
      'erase',
      'erases the text of a message from all that is stored; a mark stays',
      'admin',
    ),
  ).action(
    onMessage(async (message, place, options: DeletionOptions) => {
      const deletion = { deleted: [`#${place}`] }
      const plan = async () => {
        await message.erase({ dryRun: true })
        return deletion
      }
      if (!(await mayDelete(options, plan, 'message'))) return
      await message.erase({ dryRun: false })
      sayDeleted(deletion, 'erased', 'message')
    }),
  )
}

const addForMessage = (
  add: AddCommand,
  name: string,
  description: string,
  scope: string,
): Command =>
  withServer(
    withThread(
      add(`${name} <conversation>`, description).argument(
        '<place>',
        'of the message, as "throughline log show --places" tells it',
        wholeNumber(1),
      ),
    ),
    scope,
  )

type MessageOptions = ThreadOptions & ServerFlags

function onMessage<Options>(
  use: (message: MessageHands, place: number, options: Options) => Promise<void>,
) {
  return (conversation: string, place: number, options: MessageOptions & Options) =>
    options.server === undefined
      ? inDatabase(conversation, place, options, message => use(message, place, options))
      : use(onServer(conversation, place, options), place, options)
}

function inDatabase(
  conversation: string,
  place: number,
  options: ThreadOptions,
  use: (message: MessageHands) => Promise<void>,
): Promise<void> {
  const { actor, branch } = options
  return writeHistory(options, async history => {
    const thread = history.thread(conversation, { actor, branch })
    if ((await thread.entries({ at: place, limit: 1 }))[0]?.seq !== place)
      throw new UserError(`there is no message #${place} in ${conversation}/${actor}/${branch}`)
    await use({
      lay: name => thread[name](place),
      erase: async ({ dryRun }) => (dryRun ? undefined : thread.erase(place)),
    })
  })
}

function onServer(
  conversation: string,
  place: number,
  { server, key, actor, branch }: MessageOptions,
): MessageHands {
  const under = `/conversations/${encodeURIComponent(conversation)}/entries/${place}`
  const ask = askServer(server!, key, under)
  const query = new URLSearchParams({ actor, branch })
  const existing = (response: Response) => {
    if (!response.ok)
      throw new UserError(`there is no message #${place} in ${conversation}/${actor}/${branch}`)
    return response
  }
  return {
    async lay(name) {
      const method = name.startsWith('un') ? 'DELETE' : 'POST'
      const response = existing(await ask(method, `/${name.replace(/^un/, '')}?${query}`))
      return (await response.json()) as Awaited<ReturnType<MessageHands['lay']>>
    },
    async erase({ dryRun }) {
      existing(await ask('DELETE', `?${query}${dryRun ? '&dryRun=true' : ''}`))
    },
  }
}
