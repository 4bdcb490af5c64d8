import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../tools/tool.ts'
import { withLimit } from './link-signals.ts'

const limit = (ms: number) => ({
  ms,
  signal: new AbortController().signal,
  late: () => new Error('late'),
})

it('takes a time that is longer than a timer can be set to as the longest', async () => {
  for (const ms of [2 ** 31, 30 * 24 * 3_600_000, Number.POSITIVE_INFINITY])
    expect(await withLimit(sleep(20, 'done'), limit(ms))).toBe('done')
})

it('gives up what takes too long', async () => {
  await expect(withLimit(new Promise(() => {}), limit(5))).rejects.toThrow('late')
})

it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('a tool cannot have %s ms', timeoutMs => {
  const tool = () => defineTool({ name: 'slow', input: z.object({}), run: () => 1, timeoutMs })
  expect(tool).toThrow(/"slow" needs a number of milliseconds, 1 or more/)
})
