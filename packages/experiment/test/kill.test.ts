import { join } from 'node:path'
import { isLong } from '@throughline/test-tools/is-long'
import { spread } from '@throughline/test-tools/spread'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPath } from './fixture.ts'
import { dieAndResume, resumeLater, runUndisturbed } from './kill-in-process.ts'
import { createKillProgram, type KillProgram } from './kill-processes.ts'

const hour = 3_600_000

describe('an experiment with tools', () => {
  it.each([
    ['five steps', {}, { lemons: 5, cash: 25, sold: [2, 2, 2, 2, 2] }],
    ['hooks', { hasHooks: true }, { lemons: 8, cash: 19, sold: [2, 2] }],
  ] as const)(
    'and %s comes to the same end, whatever was written when it died',
    async (_, variant, end) => {
      const { outcome, points, states } = await runUndisturbed(newPath(), variant)
      expect(outcome.result).toMatchObject({
        status: 'COMPLETED',
        result: 'sold out',
        environment: end,
      })
      expect(outcome.histories.buyer!.at(-1)).toMatchObject({ role: 'assistant_note' })
      const parts = ['begin', 'append', 'end', 'seed', 'saveCall', 'model', 'buy', 'sell']
      expect(new Set(points)).toEqual(
        new Set(parts.flatMap(part => [`before ${part}`, `after ${part}`])),
      )
      const chosen = spread(states, 5)
      for (const { path, after } of chosen)
        expect(await resumeLater(path, variant), `died after ${after}`).toEqual(outcome)
      console.log(
        `resumed from ${chosen.length} of ${states.length} states, of ${points.length} boundaries`,
      )
    },
  )

  it('that fails comes to the same end, and its turn is closed, whatever was written when it died', async () => {
    const { outcome, states } = await runUndisturbed(newPath(), { isFailing: true })
    expect(outcome.result).toMatchObject({ status: 'FAILED', result: 'Error: No more.', steps: 1 })
    expect(outcome.histories['Dr. Smith']!.slice(-2)).toMatchObject([
      { role: 'tool', name: 'look', content: '{"lemons":4,"cash":19.5,"sold":[2]}' },
      { role: 'assistant', content: '[This turn failed: model_refused.]' },
    ])
    for (const { path, after } of spread(states.slice(-14), 4))
      expect(await resumeLater(path, { isFailing: true }), `died after ${after}`).toEqual(outcome)
  })

  it('comes to the same end when it dies anywhere between', async () => {
    const { outcome, points } = await runUndisturbed(newPath())
    for (const at of spread([...points.keys()], 4))
      expect(await dieAndResume(newPath(), at), `died at ${at}, ${points[at]}`).toEqual(outcome)
  })

  it('would be caught if it kept its effects apart from its results', async () => {
    const { outcome, points } = await runUndisturbed(newPath(), { ledger: { sold: 0 } })
    const tools = [...points.keys()].filter(at => points[at] === 'after sell')
    const differs: number[] = []
    for (const at of tools) {
      const { result } = await dieAndResume(newPath(), at, { ledger: { sold: 0 } })
      if (JSON.stringify(result) !== JSON.stringify(outcome.result)) differs.push(at)
    }
    expect(differs).toEqual(tools)
    expect(tools).toHaveLength(5)
  })
})

describe('a process that runs an experiment', () => {
  let program: KillProgram
  beforeAll(async () => {
    program = await createKillProgram()
  })
  afterAll(() => program?.stop())

  it('may be killed at any boundary', async () => {
    const whole = await program.run({ path: join(program.folder, 'whole.db') })
    expect(whole.errors).toBe('')
    const { outcome, count } = whole.told!
    const points = spread([...Array(count).keys()], 1)
    for (const killAt of points) {
      const path = join(program.folder, `${killAt}.db`)
      expect((await program.run({ path, killAt })).signal, `killed at ${killAt}`).toBe('SIGKILL')
      const resumed = await program.run({ path, laterMs: hour, isResumed: true })
      expect(resumed.told?.outcome, `killed at ${killAt} ${resumed.errors}`).toEqual(outcome)
    }
    console.log(
      `${points.length} processes killed, at ${isLong ? 'all' : 'some'} of ${count} boundaries`,
    )
  })

  if (!isLong) console.info('Skipped: a process that is killed three times, only in the long run')

  it.runIf(isLong)('may be killed again while it goes on', async () => {
    const path = join(program.folder, 'twice.db')
    const whole = await program.run({ path: join(program.folder, 'other.db') })
    await program.run({ path, killAt: 40 })
    for (let times = 1; times <= 2; times++)
      expect(
        (await program.run({ path, killAt: 25, laterMs: times * hour, isResumed: true })).signal,
      ).toBe('SIGKILL')
    const last = await program.run({ path, laterMs: 5 * hour, isResumed: true })
    expect(last.told?.outcome).toEqual(whole.told?.outcome)
  })
})
