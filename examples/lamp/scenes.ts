import type { Receipt } from 'throughline'
import { summarizeProgram } from 'throughline/digests'
import type { History } from 'throughline/history'
import { type Program, readProgram } from './program.ts'

/** A conversation about one thing that the lamp plays, with its newest program and the request and the reply that made it. */
export interface Scene {
  readonly conversation: string
  readonly asked: string
  readonly reply: string
  readonly program: Program
}

/** A request and what came of it, as the page shows it. */
export interface Exchange {
  readonly kind: 'new' | 'follow-up'
  readonly asked: string
  readonly reply: string
  /** The program in a line; absent where there is none. */
  readonly summary?: string
  readonly status: string
  /** How the next request would send it; absent for exchanges of earlier scenes. */
  readonly sentAs?: 'whole' | 'one line' | 'not sent'
}

export function sceneName(number: number): string {
  return `scene ${number}`
}

/** Finds the scene that plays in the log: the newest one that has brought a program. */
export async function findScenes(
  history: History,
): Promise<{ readonly count: number; readonly current?: Scene }> {
  const count = await countScenes(history)
  for (let number = count; number > 0; number--) {
    const exchanges = await readScene(history, number)
    const last = exchanges.findLast(({ summary }) => summary !== undefined)
    const program = last && readProgram(last.reply).program
    if (program)
      return {
        count,
        current: { conversation: sceneName(number), asked: last.asked, reply: last.reply, program },
      }
  }
  return { count }
}

/** The newest exchanges of all scenes, oldest first. `receipt`: what the next request of a scene would send. */
export async function toExchanges(
  history: History,
  count: number,
  current?: { readonly conversation: string; readonly receipt: Receipt },
): Promise<readonly Exchange[]> {
  let exchanges: readonly Exchange[] = []
  for (let number = count; number > 0 && exchanges.length < mostShown; number--) {
    const receipt = sceneName(number) === current?.conversation ? current.receipt : undefined
    exchanges = [...(await readScene(history, number, receipt)), ...exchanges]
  }
  return exchanges.slice(-mostShown)
}

const mostShown = 100

async function countScenes(history: History): Promise<number> {
  let count = 0
  while ((await history.conversations({ only: sceneName(count + 1) })).length > 0) count++
  return count
}

/** The turns of a scene. The exchange that it started with belongs to an earlier scene, and to none of its turns. */
async function readScene(
  history: History,
  number: number,
  receipt?: Receipt,
): Promise<readonly Exchange[]> {
  const thread = history.thread(sceneName(number))
  const messages = await thread.display()
  return (await thread.turns()).map(({ turn, status, first, last }) => {
    const said = messages.filter(({ seq }) => first <= seq && seq <= last)
    const textOf = (role: string) =>
      String(said.findLast(message => message.role === role)?.content ?? '')
    const reply = textOf('assistant')
    const { program } = status === 'completed' ? readProgram(reply) : {}
    return {
      kind: turn === 1 ? ('new' as const) : ('follow-up' as const),
      asked: textOf('user'),
      reply,
      ...(program && { summary: summarizeProgram(program) }),
      status,
      ...(receipt && { sentAs: sentAs(receipt, first, last) }),
    }
  })
}

/** What became of the messages of a turn: all are sent, or a line stands for them, or nothing does. */
function sentAs({ stretches }: Receipt, from: number, to: number): Exchange['sentAs'] {
  const fates = stretches.flatMap(({ first, last, fate }) =>
    first <= to && last >= from ? [fate] : [],
  )
  if (fates.every(fate => fate === 'kept')) return 'whole'
  return fates.every(fate => fate === 'omitted') ? 'not sent' : 'one line'
}
