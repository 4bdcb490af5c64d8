import { refuseUnknown } from '../../log/error.ts'
import type { Policy } from '../draft/draft.ts'
import { recallBlocks } from '../recall/blocks.ts'
import { toEffort } from '../recall/judge.ts'
import { createStableCut, type StableOptions, stableNames } from './stable.ts'

/** Options of `recall` and of the policies that are made of it. */
export interface RecallOptions extends StableOptions {
  /** How much is brought back, from 0 (hardly ever) to 1 (most of the window, for every message). Default 0.5. */
  readonly effort?: number
}

/** The stable cut, and recall: what the newest message asks for comes back word for word just before it. Needs no model. */
export function recall(options: RecallOptions = {}): Policy {
  refuseUnknown(options, { ...stableNames, effort: 1 })
  const { effort = 0.5, ...cut } = options
  return recallAs('recall', effort, cut)
}

/** The cheapest memory: brings back only what is asked for plainly. */
export const thrifty = (options: StableOptions = {}): Policy => recallAs('thrifty', 0.35, options)

/** Memory and cost in balance: the default. */
export const balanced = (options: StableOptions = {}): Policy => recallAs('balanced', 0.5, options)

/** The best memory: most of the window is recall, and most of the prompt changes on every turn. */
export const thorough = (options: StableOptions = {}): Policy => recallAs('thorough', 1, options)

function recallAs(name: string, amount: number, options: StableOptions): Policy {
  refuseUnknown(options, stableNames)
  const effort = toEffort(amount)
  const shares = { recall: effort.room, exchanges: effort.exchanges }
  const cutStably = createStableCut({ digests: 1 / 48, ...options }, shares)
  return {
    name,
    effort: amount,
    apply(draft) {
      const place = cutStably.find(draft)
      const { cutState, blocks } = recallBlocks({ frame: draft.frame, effort, ...place })
      return cutStably.apply(draft, { ...place, cutState }).insert(blocks, 'recalled')
    },
  }
}

/** The policy of `fit` by default: the stable cut, digests of what was cut, and balanced recall. */
export const defaultPolicy = balanced()
