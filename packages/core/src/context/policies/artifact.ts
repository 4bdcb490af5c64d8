import { refuseUnknown } from '../../log/error.ts'
import type { Message } from '../../log/message.ts'
import { artifactTitle } from '../../log/texts.ts'
import { neutralizeNotes } from '../../notes/neutralize.ts'
import { createFindNewest } from '../conversation/remember.ts'
import type { Entry } from '../conversation/stamp-entry.ts'
import { digestProgram } from '../digests/index.ts'
import type { Policy } from '../draft/draft.ts'

type FindArtifact = (message: Message) => string | undefined

interface ArtifactOptions {
  /** Returns the artifact's text if a message holds it. Default: a JSON program that the assistant wrote. */
  readonly find?: FindArtifact
  /** The first line of the message that carries the artifact. Default `[The current version:]`. */
  readonly title?: string
}

/**
 * Sends the artifact (the thing being worked on) in full: when its newest version was cut, it is put just before the
 * latest user message, as a digest is not enough to edit from. So late that the prompt's beginning stays the same.
 *
 * @example
 * pipe(balanced(), artifact({ find: ({ text }) => (text.startsWith('<html') ? text : undefined) }))
 */
export function artifact(options: ArtifactOptions = {}): Policy {
  refuseUnknown(options, { find: 1, title: 1 })
  const { find = findProgram, title = artifactTitle } = options
  const findNewest = createFindNewest()
  return {
    name: 'artifact',
    apply(draft) {
      const textOf = (unit: number) => newestText(draft.entriesOf(draft.units[unit]!), find)
      const { transcript } = draft.frame
      const newest = findNewest(transcript, draft.units.length, unit => textOf(unit) !== undefined)
      const latestUser = draft.turns.at(-1)
      // The newest version is sent anyway, or there is none.
      if (newest < 0 || latestUser === undefined || draft.isKept(draft.units[newest]!)) return draft
      const why = 'what is being worked on travels in full'
      const of = [{ from: newest, to: newest + 1, why }]
      const text = `${title}\n${neutralizeNotes(textOf(newest)!)}`
      const insertion = { before: latestUser, role: 'user', text, why, of, beside: true } as const
      return draft.insert([{ part: 'recall', ...insertion }], 'recalled')
    },
  }
}

function newestText(entries: readonly Entry[], find: FindArtifact): string | undefined {
  for (const { message } of entries.toReversed()) {
    const text = find(message)
    if (text !== undefined) return text
  }
  return undefined
}

function findProgram(message: Message): string | undefined {
  if (message.role !== 'assistant') return undefined
  return digestProgram({ request: '', messages: [message] }) === undefined
    ? undefined
    : message.text
}
