import { isLong } from '@throughline/test-tools/is-long'
import { type ProgramRun, plan, programRuns, steps } from '@throughline/test-tools/program-runs'
import { replayRun } from '@throughline/test-tools/replay-run'
import { describe, expect, it } from 'vitest'

/** The entries that the model read, request by request. */
async function promptsOf(run: ProgramRun, window: number) {
  const replayed = await replayRun(run, window)
  return replayed.map(({ sent: { tools, system = '', [run.list]: entries } }) =>
    [tools, system, ...entries!].map(entry => JSON.stringify(entry, withoutMarks)),
  )
}

/** Marks of Anthropic's cache move from request to request, and are not read. */
const withoutMarks = (name: string, value: unknown) =>
  name === 'cache_control' ? undefined : value

const lengthOf = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length, 0)

/** What follows the common beginning with the request before. */
function readOf(texts: readonly string[], before: readonly string[]): number {
  const differs = texts.findIndex((text, at) => text !== before[at])
  return lengthOf(differs < 0 ? [] : texts.slice(differs))
}

describe.each(programRuns)('$name', run => {
  it.each(isLong ? [32_768, 24_576] : [24_576])(
    'reads little more than it adds with a window of %i',
    async window => {
      const prompts = await promptsOf(run, window)
      const lines = new Map<string, string>()
      let [read, added, lastCut] = [0, 0, -2]
      for (const [at, texts] of prompts.entries()) {
        const before = prompts[at - 1] ?? []
        const id = `call_${at}`
        const own =
          at === 0 ? texts : [...run.reply(steps[at - 1]!, id), ...run.result(steps[at - 1]!, id)]
        const adds = at === 0 ? lengthOf(texts) : lengthOf(own.map(entry => JSON.stringify(entry)))
        read += readOf(texts, before)
        added += adds
        // The plan stands in the first reply.
        if (at > 0) expect(texts.join('')).toContain(JSON.stringify(plan).slice(1, -1))
        for (const text of texts.filter(one => one.includes(' is left out here'))) {
          const [call = text] = /call_\d+/.exec(text) ?? []
          expect(text).toBe(lines.get(call) ?? text)
          lines.set(call, text)
        }
        if (before.every((text, place) => text === texts[place])) continue
        // A cut: none follows at once, and all other requests add to the one before.
        expect(at - lastCut).toBeGreaterThan(1)
        lastCut = at
      }
      expect(lines.size).toBeGreaterThan(30)
      expect(read).toBeLessThan((4 / 3) * added)
    },
  )
})
