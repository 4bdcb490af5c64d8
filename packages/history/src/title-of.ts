import { firstWords } from '@throughline/core/recall'
import type { ConversationInfo } from '@throughline/stores/store'
import type { History } from './history.ts'
import { mainBranch, readLog } from './log/read-log.ts'
import { isSideName } from './side-name.ts'

const mostCharacters = 240

/** The first words of a person are looked for in the first entries. */
const mostRead = 12

/** A conversation's name: its title, else the first words of its person; undefined without both. A branch does not rename it. */
export async function titleOf(
  { store, tenant, count }: Pick<History, 'store' | 'tenant' | 'count'>,
  { conversation, title, threads }: Pick<ConversationInfo, 'conversation' | 'title' | 'threads'>,
): Promise<string | undefined> {
  if (title?.trim()) return title
  const spoken = threads.filter(
    ({ actor, branch }) => !actor.startsWith('throughline:') && !isSideName(branch),
  )
  const first = spoken.find(({ branch }) => branch === mainBranch) ?? spoken[0]
  if (!first) return undefined
  const { actor, branch } = first
  const source = { store, key: { tenant, conversation, actor, branch }, count }
  for await (const { reading } of readLog(source, { limit: mostRead })) {
    if (reading.role !== 'user') continue
    const words = firstWords(reading.text, mostCharacters)
    if (words !== '') return words
  }
  return undefined
}
