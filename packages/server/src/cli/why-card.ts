import { writeFile } from 'node:fs/promises'
import { drawCard } from '@throughline/core/card'
import type { Thread, ThreadCall } from '@throughline/history'
import type { History } from '@throughline/history/threads'
import { makeCard } from '../api/make-card.ts'
import { createTimeline } from '../api/timeline/create-timeline.ts'
import { optionsOfCall } from '../api/why.ts'
import { print, printText, UserError } from './print.ts'

interface MeantContext {
  readonly window?: number
  readonly at?: number
  readonly call?: string
}

/** The call that a command is about: the one that is named, else the newest, unless a context of now was asked for. */
export async function callMeant(
  thread: Thread,
  { window, at, call }: MeantContext,
): Promise<ThreadCall | undefined> {
  if (call !== undefined) return findCall(thread, call)
  const isNow = window !== undefined || at !== undefined
  return isNow ? undefined : (await thread.calls({ limit: 1 }))[0]
}

export async function findCall(thread: Thread, id: string): Promise<ThreadCall> {
  const match = (await thread.calls()).find(call => call.id === id)
  if (!match) throw new UserError(`there is no call ${id}; "throughline log calls" lists them`)
  return match
}

interface CardCommand extends MeantContext {
  readonly thread: Thread
  readonly history: History
  readonly place: number | undefined
  readonly card: string | true
  readonly dark?: boolean
}

/** Draws why an answer forgot a message, as the page does. */
export async function printCard(command: CardCommand): Promise<void> {
  const { thread, history, place, card: file, dark = false, window = 4096, at } = command
  const call = await callMeant(thread, command)
  const plain = { window, reserve: 0, overflow: 'keep', at } as const
  const room = { window, reserve: 0, factor: 1 }
  const made = call ? await optionsOfCall(thread, call) : { options: plain, room, isKnown: true }
  const { store, count } = history
  const card = await makeCard({
    ...made,
    thread,
    call: call?.id,
    entry: place,
    points: async since => {
      const { at: _, ...settings } = made.options
      const options = { settings, room: made.room, tools: 0, isAnew: !call, against: [] }
      const source = { store, key: thread.key, count }
      const timeline = createTimeline(source, { ...options, since, copyAt: thread.copyAt })
      return timeline.points(since, new AbortController().signal)
    },
  })
  if (!card)
    throw new UserError(
      place === undefined
        ? 'no single message clearly has what was asked and was left out: name its place'
        : `message #${place} was sent, hidden, or came later: there is nothing to draw. "throughline log why" without --card says more`,
    )
  const svg = drawCard(card, { theme: dark ? 'dark' : 'light' })
  if (file === true) return printText(svg)
  await writeFile(file, svg)
  print(`The card of #${card.told.seq} is in ${file}.`)
}
