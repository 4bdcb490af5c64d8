import { dump, receiptTable, type Why } from '@throughline/core/explain'
import { cut, plural } from '@throughline/core/values'
import type { Thread, ThreadCall } from '@throughline/history'
import { predictedIn } from '@throughline/history/calls'
import type { Command } from 'commander'
import { accountLines, accountOfCall, verdictOn } from '../mcp/context-account.ts'
import { wholeNumber } from './number-option.ts'
import type { AddCommand } from './open-log.ts'
import { onThread, type ThreadOptions, withThread } from './open-log.ts'
import { print, printText, UserError } from './print.ts'
import { callMeant, findCall, printCard } from './why-card.ts'

interface ContextOptions {
  readonly window?: number
  readonly at?: number
  readonly call?: string
}

interface WhyOptions extends ContextOptions {
  readonly card?: string | true
  readonly dark?: boolean
}

/** `throughline log calls`, `dump` and `why`: what a model was sent, or would be sent now. */
export function addContextCommands(add: AddCommand): void {
  withThread(add('calls <conversation>', 'the model calls of a thread, the newest first'))
    .option('-n, --last <calls>', 'only the newest ones, this many', wholeNumber(), 20)
    .action(
      onThread(async (thread, { last: limit }: { readonly last: number }) => {
        for (const call of await thread.calls({ limit })) print(describeCall(call))
      }),
    )
  withContext(add('dump <conversation>', 'what the model would see of it, or saw in a call'))
    .option('--receipt', 'what became of each message instead, and why')
    .action(
      onThread(async (thread, options: ContextOptions & { readonly receipt?: boolean }) => {
        const call = options.call === undefined ? undefined : await findCall(thread, options.call)
        if (call && options.receipt) return printCallReceipt(call)
        if (call) return printText(await thread.dump(call))
        const { window = 4096, at } = options
        const context = await thread.context({ window, at })
        printText(options.receipt ? receiptTable(context.receipt) : dump(context))
      }),
    )
  withContext(
    add(
      'why <conversation>',
      'what became of one message, and why: in the newest call, or as named',
    ),
  )
    .argument(
      '[place]',
      'of the message, as "throughline log show --places" tells it; a card finds it without',
      wholeNumber(1),
    )
    .option('--card [file]', 'draw instead why the answer forgot it: an SVG, printed or in a file')
    .option('--dark', 'the card on a dark ground')
    .action(
      (conversation: string, place: number | undefined, options: WhyOptions & ThreadOptions) =>
        onThread((thread, _, history) =>
          options.card === undefined
            ? printWhy(thread, place, options)
            : printCard({ thread, history, place, ...options, card: options.card }),
        )(conversation, options),
    )
}

const withContext = (command: Command): Command =>
  withThread(command)
    .option('-w, --window <tokens>', 'the window of the context (default: 4096)', wholeNumber(1))
    .option('--at <entry>', 'as it was when this entry was the last', wholeNumber())
    .option('--call <id>', 'what was sent in this call')

function printCallReceipt(call: ThreadCall): void {
  const account = accountOfCall(call)
  for (const line of [account.title, account.totals, ...accountLines(account)]) print(line)
}

async function printWhy(
  thread: Thread,
  place: number | undefined,
  { window, at, call: id }: ContextOptions,
) {
  if (place === undefined)
    throw new UserError('which message? Name its place: "throughline log show --places" lists them')
  const head = (await thread.entries({ limit: 1 })).at(-1)?.seq ?? 0
  if (place > head) throw new UserError(`there is no message #${place}: the last one is #${head}`)
  const call = await callMeant(thread, { window, at, call: id })
  if (call) {
    const account = accountOfCall(call)
    print(account.title)
    return print(verdictOn(account, place, head))
  }
  if (at !== undefined && place > at) throw new UserError(`message #${place} came after #${at}`)
  const why = await thread.why(place, { window: window ?? 4096, at })
  print(
    `#${place} (${why.role}, ${plural(why.tokens, 'token')}) ${why.fate}: ${why.why} (${why.rule}).`,
  )
  for (const line of [...recallLines(why), ...leavingLines(why)]) print(line)
}

/** Which message asked for it, and what took its room. */
function recallLines({ recall }: Why): readonly string[] {
  if (!recall) return []
  const { outcome, asking, better, needs, left, near } = recall
  const asker = asking
    ? `#${asking.seq} (${JSON.stringify(cut(asking.text, 80))})`
    : 'the newest message'
  const beside = near === undefined ? '' : `, for its neighbour #${near}`
  const room =
    needs === undefined ? '' : `: it needs ${plural(needs, 'token')}, and ${left ?? 0} were left`
  const before = better?.units
    ? `; ${better.units} that match better took ${plural(better.tokens, 'token')}`
    : ''
  switch (outcome) {
    case 'recalled':
      return [`${asker} asked for it${beside}.`]
    case 'made_room':
      return [`${asker} asked for it${beside}; later ones needed the room.`]
    case 'no_room':
      return [`${asker} asked for it${beside}, but there was no room${room}${before}.`]
    case 'weak_match':
      return [`Others fit what ${asker} asked better.`]
    case 'not_asked':
      return [`${asker} names too little of what was said before.`]
    case 'never':
      return []
  }
}

const leavingLines = ({ leaving }: Why): readonly string[] =>
  leaving ? [`In about ${plural(leaving.turns, 'more turn')} like the last ones it drops out.`] : []

function describeCall(call: ThreadCall): string {
  const { id, turn, time, model, reported, status, error } = call
  const read = reported === undefined ? '' : `, ${reported} reported`
  const outcome = error === undefined ? status : `${status}: ${error}`
  return `${id}  ${new Date(time).toISOString()}  turn ${turn}  ${model}  ${plural(predictedIn(call), 'token')} predicted${read}  ${outcome}`
}
