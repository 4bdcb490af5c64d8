import type { SeenMessage } from '../../history/log/logged-message.ts'
import { TooLargeError } from '../../stores/store-error.ts'

/** Ends a text that was cut because the store cannot take more. */
const clippedEnd = '\n\n[The rest is too large to be stored.]'

/**
 * Closes a turn with the messages that arrived, or with less of them if the store refuses their size. A turn that stays
 * open would block the next one until its lease has run out.
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

/** Whether another writer has the turn, so that there is nothing to close. */
const hasGoneOn = (error: unknown) => (error as { code?: unknown }).code === 'lease_lost'

/** Shorter and shorter versions. At two bytes a character most texts fit; at eight any does, even if escaped. */
function* lesserThan(arrived: readonly SeenMessage[], limit: number): Generator<readonly SeenMessage[]> {
  for (const bytes of [2, 8]) {
    const most = Math.floor(limit / bytes) - clippedEnd.length - framing
    if (most > 0) yield arrived.map(message => clip(message, most))
  }
}

/** The most bytes that the entry takes besides its text. */
const framing = 512

/** Keeps only the text; thoughts are dropped first. */
function clip(message: SeenMessage, most: number): SeenMessage {
  const { role, content } = message.message
  if (typeof content !== 'string') return message
  if (content.length <= most) return { message: { role, content } }
  return {
    message: { role, content: `${content.slice(0, most).replace(/[\ud800-\udbff]$/, '')}${clippedEnd}` },
  }
}
