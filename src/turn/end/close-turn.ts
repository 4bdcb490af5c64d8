import type { SeenMessage } from '../../history/log/logged-message.ts'
import { TooLargeError } from '../../stores/store-error.ts'

/** What is said at the end of a text of which the store cannot keep more. */
const clippedEnd = '\n\n[The rest is too large to be stored.]'

/**
 * Closes a turn with what arrived; where the store refuses that, with less of it. A turn that stays open would keep the
 * next one waiting until its lease has run out.
 */
export async function closeTurn(
  arrived: readonly SeenMessage[],
  close: (arrived: readonly SeenMessage[]) => Promise<void>,
): Promise<void> {
  try {
    return await close(arrived)
  } catch (error) {
    if (arrived.length === 0 || hasGoneOn(error)) throw error
    const lesser = error instanceof TooLargeError ? lesserThan(arrived, error.limit) : []
    for (const less of lesser) if (await isDone(close(less))) return
    await close([])
  }
}

const isDone = (work: Promise<void>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  )

/** Somebody else has the turn: there is nothing to close. */
const hasGoneOn = (error: unknown) => (error as { code?: unknown }).code === 'lease_lost'

/** How many bytes a character takes is not known: most texts fit with two, and any with eight, however it is escaped. */
function* lesserThan(arrived: readonly SeenMessage[], limit: number): Generator<readonly SeenMessage[]> {
  for (const bytes of [2, 8]) {
    const most = Math.floor(limit / bytes) - clippedEnd.length - framing
    if (most > 0) yield arrived.map(message => clip(message, most))
  }
}

/** What is written around a text, generously. */
const framing = 512

/** The text alone: what was thought beside it goes first. */
function clip(message: SeenMessage, most: number): SeenMessage {
  const { role, content } = message.message
  if (typeof content !== 'string') return message
  if (content.length <= most) return { message: { role, content } }
  return {
    message: { role, content: `${content.slice(0, most).replace(/[\ud800-\udbff]$/, '')}${clippedEnd}` },
  }
}
