import { type AnswerOf, ask, queryClient } from '../api/client.ts'
import { observable } from '../api/observable.ts'
import { conversationsQuery } from '../api/queries.ts'
import { amountOf, count } from './format.ts'

export interface FileOutcome {
  readonly file: string
  readonly source: File
  readonly state: 'running' | 'taken' | 'refused'
  readonly text: string
  readonly conversation?: string | undefined
}

export const importOutcomes = observable<readonly FileOutcome[]>([])

/** Sends files one after another. Chats imported without a person get one when they are sent again with a person. */
export async function importFiles(files: readonly File[], person?: string): Promise<void> {
  if (files.length === 0 || importOutcomes.get().some(({ state }) => state === 'running')) return
  importOutcomes.set(
    files.map(source => ({ file: source.name, source, state: 'running', text: 'Reading…' })),
  )
  for (const [at, file] of files.entries()) {
    const outcome = await importFile(file, person)
    importOutcomes.set(importOutcomes.get().with(at, outcome))
  }
  await queryClient.invalidateQueries({ queryKey: conversationsQuery.queryKey })
}

async function importFile(source: File, person: string | undefined): Promise<FileOutcome> {
  const file = source.name
  try {
    const imported = await ask('post /import', { query: { person }, body: source })
    const [conversation] = imported.conversations
    const whose = person === undefined ? '' : ` Remembered for ${person}.`
    const single = imported.conversations.length === 1 ? conversation : undefined
    return { file, source, state: 'taken', text: describe(imported) + whose, conversation: single }
  } catch (error) {
    const text = `was refused. ${(error as Error).message} Nothing of it was stored.`
    return { file, source, state: 'refused', text }
  }
}

function describe({ format, conversations, deleted, added }: AnswerOf<'post /import'>): string {
  const all = `${amountOf(conversations.length, 'conversation')} from ${format}`
  const gone =
    deleted.length === 0 ? '' : ` ${count(deleted.length)} more were deleted here, and stay so.`
  if (conversations.length === 0) return `No conversation in it.${gone}`
  return added === 0
    ? `${all}: all of it was here already.${gone}`
    : `${all}, ${amountOf(added, 'new message')}.${gone}`
}

/** Lets a person choose files: for those who cannot drag. */
export function chooseFiles(): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.multiple = true
  input.accept = '.json,.jsonl,.txt'
  input.addEventListener('change', () => void importFiles([...(input.files ?? [])]))
  input.click()
}
