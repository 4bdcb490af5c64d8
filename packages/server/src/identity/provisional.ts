import { isSideName, readLog } from '@throughline/history/log'
import type { ConversationInfo, MarkedPlace } from '@throughline/stores/store'
import { isGiven } from './item.ts'
import type { WalkLog } from './walk.ts'

/** The mark of a conversation that began with one message of a client who did not name it. */
export const firstMark = (conversation: string) => `first:${conversation}`

/** Which of these are a single message that was not continued and has no title: maybe a side request of an unknown client. */
export async function findProvisional(
  log: WalkLog & { readonly tenant: string },
  listed: readonly ConversationInfo[],
): Promise<ReadonlySet<string>> {
  const heads = new Map<string, number>()
  for (const { conversation, title, threads } of listed) {
    const [line, ...others] = threads.filter(({ branch }) => !isSideName(branch))
    if (title === undefined && line && others.length === 0) heads.set(conversation, line.head)
  }
  const marks = [...heads.keys()].map(firstMark)
  const places =
    marks.length === 0 ? [] : await log.store.findMarks(log.tenant, marks, { limit: 1 })
  const provisional = new Set<string>()
  for (const place of places) {
    const { conversation } = place.thread
    if (!(await wentOn(log, place, heads.get(conversation)!))) provisional.add(conversation)
  }
  return provisional
}

/** More entries than these follow a message only if the conversation went on: a reply has a few notes at most. */
const mostOfReply = 10

/** Whether a client said more after a place. It is read only where the head alone does not tell. */
async function wentOn(log: WalkLog, { thread, at }: MarkedPlace, head: number): Promise<boolean> {
  if (head > at + mostOfReply) return true
  if (head > at + 1)
    for await (const entry of readLog({ ...log, key: thread }, { from: at + 1, to: head }))
      if (isGiven(entry)) return true
  return false
}
