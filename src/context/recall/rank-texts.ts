import { shapeOf, shapeScores, toPosting } from './posting.ts'
import * as ranking from './ranking.ts'
import { termsOf } from './terms.ts'

/** Ranks texts for a question as recall ranks messages, without what only one conversation has: neighbours and sessions. */
export interface TextRanking {
  /** What the ranking must know of a text, which may be large and need not be kept. */
  read(text: string): TextTerms
  /** The scores of texts that were read, newest first. */
  scores(read: readonly TextTerms[]): readonly number[]
}

export interface TextTerms {
  /** By term of the question: how often the text has it. */
  readonly counts: readonly number[]
  readonly length: number
}

export function rankTexts(question: string): TextRanking {
  const asked = new Map([...new Set(termsOf(question))].map((term, at) => [term, at]))
  return {
    read(text) {
      const counts = new Array<number>(asked.size).fill(0)
      const terms = termsOf(text)
      for (const term of terms) {
        const at = asked.get(term)
        if (at !== undefined) counts[at]! += 1
      }
      return { counts, length: terms.length }
    },
    scores(read) {
      const lengths = read.reduce((sum, { length }) => sum + length, 0)
      const ofShape = shapeScores(lengths / read.length || 1)
      const rarities = Array.from(asked.values(), at =>
        rarity(read.filter(({ counts }) => counts[at]! > 0).length, read.length),
      )
      return read.map(({ counts, length }, age) => {
        const sum = counts.reduce(
          (sum, count, at) => sum + rarities[at]! * ofShape[shapeOf(toPosting(0, length, count))]!,
          0,
        )
        const recent = 1 + ranking.recency * Math.exp(-age / ranking.recencySessions)
        return Math.round(sum * recent * ranking.unit)
      })
    },
  }
}

/** How much a term tells that `frequency` of n texts have. */
export function rarity(frequency: number, n: number): number {
  return Math.log(1 + (n - frequency + 0.5) / (frequency + 0.5))
}
