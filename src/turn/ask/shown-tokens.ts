import type { ModelPart } from '../../models/model.ts'
import type { NoteScanner } from '../../notes/index.ts'

/** Keeps the log probabilities of tokens until it is known whether the text that they came with is shown. */
export function createShownTokens(scanner: Pick<NoteScanner, 'progress'>) {
  /** With the places of their texts in the reply. */
  let waiting: readonly { start: number; end: number; logprobs: readonly unknown[] }[] = []
  let end = 0
  let before = scanner.progress()
  return {
    /** Takes the next text before the scanner does, with the log probabilities of its tokens. */
    add({ text, logprobs }: Pick<Extract<ModelPart, { logprobs?: unknown }>, 'text' | 'logprobs'>): void {
      const start = end
      end += text.length
      if (!logprobs) return
      if (waiting.length === 0) before = scanner.progress()
      waiting = [...waiting, { start, end, logprobs }]
    },
    /** Gives those whose text was shown since the last time. Of a text that was hidden even in part none is ever given. */
    take(): readonly unknown[] | undefined {
      if (waiting.length === 0) return undefined
      const { settled, shown } = scanner.progress()
      const isHidden = settled - before.settled > shown - before.shown
      before = { settled, shown }
      if (isHidden) {
        waiting = waiting.filter(({ start }) => start >= settled)
        return undefined
      }
      const taken = waiting.filter(({ end }) => end <= settled)
      waiting = waiting.slice(taken.length)
      return taken.length > 0 ? taken.flatMap(({ logprobs }) => logprobs) : undefined
    },
  }
}
