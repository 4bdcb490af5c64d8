import type { LearnedFiles } from '../../models/leave-out.ts'

/** Names come from requests: only so many are remembered. */
const most = 1000

/** Which files each model takes, as far as the upstream has told. */
export function fileMemory(create: (model: string) => LearnedFiles): { of(model: string): LearnedFiles } {
  const known = new Map<string, LearnedFiles>()
  return {
    of(model) {
      const files = known.get(model) ?? create(model)
      known.set(model, files)
      const [oldest] = known.keys()
      if (known.size > most && oldest !== undefined) known.delete(oldest)
      return files
    },
  }
}
