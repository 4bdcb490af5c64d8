import type { Command } from 'commander'
import type { ThreadCall } from '../../history/calls/calls.ts'
import type { Thread } from '../../history/thread.ts'
import { plural } from '../../log/line.ts'
import { readMessage } from '../../log/parse-message.ts'
import { print, printText } from '../print.ts'
import { UserError } from '../user-error.ts'
import { type AddCommand, type LogOptions, readHistory } from './open-log.ts'

interface ThreadOptions extends LogOptions {
  readonly actor: string
  readonly branch: string
}

/** Commands that only read a database. */
export function addLookCommands(add: AddCommand): void {
  const addForThread = (name: string, description: string): Command =>
    add(`${name} <conversation>`, description)
      .option('--actor <name>', 'whose thread', 'assistant')
      .option('--branch <name>', 'which line of the thread', 'main')

  add('list', 'the conversations, the last used first').action((options: LogOptions) =>
    readHistory(options, async history => {
      for (const { conversation, updatedAt, title, threads } of await history.conversations()) {
        const lines = threads.map(({ actor, branch, head }) => `${actor}/${branch} ${head}`).join(', ')
        const named = title === undefined ? '' : `  ${JSON.stringify(title)}`
        print(`${conversation}  ${new Date(updatedAt).toISOString()}  ${lines}${named}`)
      }
    }),
  )
  addForThread('show', 'what a user may see of a thread')
    .option('-n, --last <messages>', 'only the newest so many')
    .action((conversation: string, options: ThreadOptions & { readonly last?: string }) =>
      onThread(conversation, options, async thread => {
        const limit = options.last === undefined ? {} : { limit: Number(options.last) }
        for (const [seq, message] of (await thread.display(limit)).entries()) {
          const { role, text } = readMessage(message, seq)
          printText(`${role}: ${text}\n`)
        }
      }),
    )
  addForThread('calls', 'the model calls of a thread, the newest first')
    .option('-n, --last <calls>', 'only the newest so many', '20')
    .action((conversation: string, options: ThreadOptions & { readonly last: string }) =>
      onThread(conversation, options, async thread => {
        for (const call of await thread.calls({ limit: Number(options.last) })) print(describeCall(call))
      }),
    )
  addForThread('dump', 'what the model would see of it, or saw in a call')
    .option('-w, --window <tokens>', 'the window of the context', '4096')
    .option('--at <entry>', 'as it was when this entry was the last')
    .option('--call <id>', 'what was sent in this call')
    .action((conversation: string, options: ThreadOptions & DumpOptions) =>
      onThread(conversation, options, async thread => {
        printText(await thread.dump(await toDumped(thread, options)))
      }),
    )
  add('search <words>', 'messages that have all of these words, as a user may see them')
    .option('--all', 'also in notes, in calls that write them and in the data of the application')
    .action((words: string, options: LogOptions & { readonly all?: boolean }) =>
      readHistory(options, async history => {
        const scope = options.all ? 'everything' : 'shown'
        for (const { thread, seq, role, snippet } of await history.search(words, { scope }))
          print(`${thread.conversation}/${thread.actor}/${thread.branch} #${seq} ${role}: ${snippet}`)
      }),
    )
}

interface DumpOptions {
  readonly window: string
  readonly at?: string
  readonly call?: string
}

async function toDumped(thread: Thread, { window, at, call }: DumpOptions) {
  if (call === undefined) return { window: Number(window), ...(at === undefined ? {} : { at: Number(at) }) }
  const found = (await thread.calls()).find(({ id }) => id === call)
  if (!found) throw new UserError(`there is no call ${call}; "throughline log calls" lists them`)
  return found
}

function onThread(
  conversation: string,
  options: ThreadOptions,
  use: (thread: Thread) => Promise<void>,
): Promise<void> {
  return readHistory(options, async history => {
    const { actor, branch } = options
    const thread = history.thread(conversation, { actor, branch })
    if ((await thread.messages({ limit: 1 })).length === 0)
      throw new UserError(`there is no thread ${conversation}/${actor}/${branch}`)
    await use(thread)
  })
}

function describeCall(call: ThreadCall): string {
  const { id, turn, time, model, predicted, reported, status, error } = call
  const read = reported === undefined ? '' : `, ${reported} reported`
  const outcome = error === undefined ? status : `${status}: ${error}`
  return `${id}  ${new Date(time).toISOString()}  turn ${turn}  ${model}  ${plural(predicted, 'token')} predicted${read}  ${outcome}`
}
