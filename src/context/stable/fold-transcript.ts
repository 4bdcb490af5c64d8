import { remember } from '../conversation/remember.ts'
import type { Transcript } from '../conversation/transcript.ts'
import { advanceFold, type Fold, type FoldConfig, unfolded } from './fold.ts'

/** The fold of a conversation as it is now. Earlier folds are remembered, so a turn costs a few additions. */
export function foldTranscript(transcript: Transcript, config: FoldConfig): Fold {
  const memory = remember(transcript, `fold ${JSON.stringify(config)}`, () => ({ fold: unfolded }))
  memory.fold = advanceFold(transcript, config, memory.fold, settledUnits(transcript))
  return advanceFold(transcript, config, memory.fold, transcript.units.length)
}

/** The number of units that cannot grow: not a last round that waits for results, or a reply that may get a note. */
function settledUnits({ units }: Transcript): number {
  const last = units.at(-1)
  return last && last.kind !== 'user' && last.kind !== 'system' ? units.length - 1 : units.length
}
