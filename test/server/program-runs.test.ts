import { describe, expect, it } from 'vitest'
import { upstreamWith } from '../../src/models/upstream.fixture.ts'
import { isLong } from '../is-long.ts'
import { type ProgramRun, plan, programRuns, steps } from './program-runs.ts'
import { startServer } from './start-server.ts'

/** Has a program work through the server. Gives the entries that the model read, request by request. */
async function replay({ body, path, list, headers, ...run }: ProgramRun, window: number) {
  const prompts: (readonly string[])[] = []
  const scripted = await upstreamWith(({ body: sent, path: asked }) => {
    if (!asked.startsWith(path)) return { status: 404, body: { error: { message: 'no such path' } } }
    const { tools, system = '', [list]: entries } = sent as Record<string, readonly object[]>
    const texts = [tools, system, ...entries!].map(entry => JSON.stringify(entry, withoutMarks))
    const reply = run.reply(steps[prompts.push(texts) - 1]!, `call_${prompts.length}`)
    const tokens = Math.ceil(texts.join('').length / 4.4)
    return { status: 200, body: run.answer(reply, tokens) }
  })
  const { url } = await startServer({ upstream: run.upstream(scripted.url, window) })
  const entries = [...run.first]
  for (const [at, step] of steps.entries()) {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'm', ...body, [list]: entries }),
    })
    expect(response.status, await response.text()).toBe(200)
    const id = `call_${at + 1}`
    entries.push(...run.reply(step, id), ...run.result(step, id))
  }
  return prompts
}

/** Marks of Anthropic's cache move from request to request, and are not read. */
const withoutMarks = (name: string, value: unknown) => (name === 'cache_control' ? undefined : value)

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
      const prompts = await replay(run, window)
      const lines = new Map<string, string>()
      let [read, added, lastCut] = [0, 0, -2]
      for (const [at, texts] of prompts.entries()) {
        const before = prompts[at - 1] ?? []
        const id = `call_${at}`
        const own = at === 0 ? texts : [...run.reply(steps[at - 1]!, id), ...run.result(steps[at - 1]!, id)]
        const adds = at === 0 ? lengthOf(texts) : lengthOf(own.map(entry => JSON.stringify(entry)))
        read += readOf(texts, before)
        added += adds
        // The plan stands in the first reply.
        if (at > 0) expect(texts.join('')).toContain(JSON.stringify(plan).slice(1, -1))
        for (const text of texts.filter(one => one.includes(' tokens cleared]'))) {
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
