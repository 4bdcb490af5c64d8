import { createChat } from '@throughline/chat/reply'
import { defaultPolicy, type Policy, sliding, summarizeProgram } from '@throughline/core/context'
import type { Receipt } from '@throughline/core/explain'
import type {
  ApplicationPlace,
  ApplicationState,
  LampDrawing,
  OpenApplication,
  SaidPart,
  SentAs,
} from '@throughline/gallery/application'
import type { Thread } from '@throughline/history/threads'
import { decide } from '../../examples/lamp/follow-up.ts'
import { lampAsking, lampChips, wantedBack } from '../../examples/lamp/lamp.ts'
import { type Program, readProgram } from '../../examples/lamp/program.ts'
import { lampRules } from '../../examples/lamp/rules/lamp-rules.ts'
import type { Exchange } from '../../examples/lamp/scenes.ts'
import { tenRequests, twentyRequests } from './lamp-requests.ts'
import { readTalk, type TalkTurn, toSaid, toSaidParts } from './talk.ts'

/** An exchange of the lamp, and the program that it brought, if any. */
interface LampTurn extends TalkTurn {
  readonly program: Program | undefined
}

/** The lamp of the examples on one conversation: each exchange stands in it, so the page shows how ten of them are sent. */
export function open({ history, conversation, model }: ApplicationPlace): OpenApplication {
  const thread = history.thread(conversation)
  const chat = createChat({ ...lampAsking, history, model: model ?? lampRules() })

  async function* say(text: string, signal: AbortSignal): AsyncGenerator<SaidPart> {
    const turns = await readTurns(thread)
    const current = turns.findLast(({ program }) => program)?.program
    const earlier = current && wantedBack(text, toExchanges(turns), current)
    const isBack = earlier !== undefined && (await playAgain(thread, text, earlier.reply))
    if (isBack) return
    // A program is for the lamp: the page shows what it does.
    for await (const part of toSaidParts(chat.send(text, { conversation, signal })))
      if (part.type === 'problem') yield part
  }

  return {
    say,
    async state(): Promise<ApplicationState> {
      const turns = await readTurns(thread)
      const program = turns.findLast(one => one.program)?.program
      const exchanges = toExchanges(turns)
      const chips = lampChips(exchanges, program)
      return {
        chips: [...chips],
        ...(turns.filter(one => one.program).length > 1 && { undo: 'undo' }),
        said: toSaid(turns, one => (one.program ? summarizeProgram(one.program) : one.answer)),
        // A real model answers in its own time: only rules are asked ten times in a row.
        more: model ? [] : moreOf(turns.length),
        drawing: await draw(thread, turns, program),
      }
    },
  }
}

/** Plays again what the log has, without a model. False where another writer holds the turn. */
async function playAgain(thread: Thread, text: string, reply: string): Promise<boolean> {
  try {
    const begun = await thread.begin({ role: 'user', content: text })
    if (begun.kind !== 'begun') return false
    await begun.turn.complete({ role: 'assistant', content: reply })
    return true
  } catch {
    return false
  }
}

async function readTurns(thread: Thread): Promise<readonly LampTurn[]> {
  const turns = await readTalk(thread)
  return turns.map(one => ({
    ...one,
    program: one.status === 'completed' ? readProgram(one.answer).program : undefined,
  }))
}

/** The turns as the example reads them: whether each began something new decides what can be called back by its name. */
const toExchanges = (turns: readonly LampTurn[]): readonly Exchange[] =>
  turns.map(({ asked, answer, status, program }, at) => ({
    kind: decide(asked, at > 0).kind,
    asked,
    reply: answer,
    ...(program && { summary: summarizeProgram(program) }),
    status,
  }))

function moreOf(done: number): ApplicationState['more'] {
  const upTo = (requests: readonly string[]) => requests.slice(done)
  return [
    { label: 'Play up to 10 exchanges', texts: upTo(tenRequests) },
    { label: 'Play up to 20 exchanges', texts: upTo(twentyRequests) },
  ].filter(({ texts }) => texts.length > 0)
}

/** Three ways to send the same exchanges. Only the first is ever sent. */
const ways: readonly { readonly name: string; readonly policy: Policy }[] = [
  { name: 'Tiered, this lamp', policy: lampAsking.policy },
  { name: 'Default', policy: defaultPolicy },
  { name: 'Newest messages', policy: sliding() },
]

async function draw(
  thread: Thread,
  turns: readonly LampTurn[],
  program: Program | undefined,
): Promise<LampDrawing> {
  const { system, window, reserve } = lampAsking
  // A place is named, so that looking changes nothing of what is held for the next call.
  const last = turns.at(-1)?.last
  const at = last === undefined ? {} : { at: last }
  const receipts: Receipt[] = []
  for (const { policy } of ways)
    receipts.push((await thread.context({ system, window, reserve, policy, ...at })).receipt)
  const [own] = receipts
  return {
    kind: 'lamp',
    ...(program && { program, summary: summarizeProgram(program) }),
    exchanges: turns.map(one => ({
      asked: one.asked,
      answer: one.program ? summarizeProgram(one.program) : one.answer,
      colours: coloursOf(one.program),
      tokens: tokensOf(own!, one),
      sentAs: sentAs(own!, one),
    })),
    ways: ways.map(({ name, policy }, way) => ({
      name,
      policy: policy.name,
      tokens: receipts[way]!.tokens,
      parts: receipts[way]!.parts,
      exchanges: turns.map(one => sentAs(receipts[way]!, one)),
    })),
    window,
    reserve,
    margin: own!.margin,
  }
}

/** The first colour of each step. */
const coloursOf = (program: Program | undefined): string[] =>
  (program?.steps ?? []).map(({ command }) =>
    command.type === 'pattern' ? (command.params.color ?? '#FFFFFF') : '#808080',
  )

function tokensOf({ sent }: Receipt, { first, last }: TalkTurn): number {
  const isOwn = (seq: number) => first <= seq && seq <= last
  return sent
    .filter(({ seqs, standsFor }) => [...seqs, ...standsFor].some(isOwn))
    .reduce((sum, { tokens }) => sum + tokens, 0)
}

/** What of an exchange the next request would hold. */
function sentAs({ stretches }: Receipt, { first, last }: TalkTurn): SentAs {
  const fateAt = (seq: number) => stretches.find(one => one.first <= seq && seq <= one.last)?.fate
  const [asked, answer] = [fateAt(first), fateAt(last)]
  if (asked === 'kept' && answer === 'kept') return 'whole'
  if (asked === 'omitted' && answer === 'omitted') return 'gone'
  return asked === 'kept' ? 'question' : 'line'
}
