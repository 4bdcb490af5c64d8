import { createHash } from 'node:crypto'
import type { PromptLayout } from '../../context/prompt/layout.ts'
import { splitPrompt } from '../../context/prompt/split-prompt.ts'
import { listLog } from '../../history/log/read-log.ts'
import { CorruptEntryError } from '../../stores/store-error.ts'
import { type Asked, sourceOf } from './asked.ts'

/** The mark of the entries that say which lines of this prompt change. A prompt is known by its longest line, which seldom does. */
export function promptMark({ systemPrompt, request: { system }, keyId }: Asked): string | undefined {
  if (systemPrompt !== 'stable' || system === undefined) return undefined
  let longest = ''
  for (const line of system.split('\n')) if (line.length > longest.length) longest = line
  const hash = createHash('sha256').update(`${keyId.length}:${keyId}${longest}`)
  return `p${hash.digest('base64url').slice(0, 22)}`
}

/** What an earlier conversation of the same key has shown of this prompt. It is stored with the first turn of a new one. */
export async function knownPrompt(asked: Asked): Promise<PromptLayout | undefined> {
  const { log, request } = asked
  const mark = promptMark(asked)
  if (mark === undefined) return undefined
  const [place] = await log.store.findMarks(log.tenant, [mark], { limit: 1 })
  const heads = place && (await headsAt(asked, place))
  if (!heads) return undefined
  const content = request.system!
  const { lines } = splitPrompt([{ role: 'system', content }], { heads })
  const moved = lines.reduce((sum, line) => sum + line.length, 0)
  // Lines that changed once move for ever, so that a new conversation begins anew when they are too many.
  return moved * 3 <= content.length ? { heads } : undefined
}

async function headsAt(
  { log }: Asked,
  { thread, at }: Awaited<ReturnType<Asked['log']['store']['findMarks']>>[number],
): Promise<PromptLayout['heads']> {
  try {
    const [entry] = await listLog(sourceOf(log, thread), { from: at, to: at })
    return entry?.learned?.heads
  } catch (error) {
    // What cannot be read is not known; `check` names it.
    if (error instanceof CorruptEntryError) return undefined
    throw error
  }
}
