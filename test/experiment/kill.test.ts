import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isLong, spread } from '../crash/spread.ts'
import { newPath } from './fixture.ts'
import { dieAndResume, runUndisturbed } from './kill-in-process.ts'
import { createKillProgram, type KillProgram } from './kill-processes.ts'

const hour = 3_600_000

describe('an experiment of five steps with tools', () => {
  it('comes to the same end, wherever it dies', async () => {
    const { outcome, points } = await runUndisturbed(newPath())
    expect(outcome.result).toMatchObject({ status: 'COMPLETED', result: 'sold five times', steps: 5 })
    expect(outcome.result.environment).toEqual({ lemons: 8, cash: 23.5, sold: [2, 2, 2, 2, 2] })
    expect(new Set(points)).toEqual(
      new Set(
        ['begin', 'append', 'end', 'seed', 'saveCall', 'model', 'buy', 'sell'].flatMap(what => [
          `before ${what}`,
          `after ${what}`,
        ]),
      ),
    )
    for (const at of points.keys()) {
      const path = newPath()
      expect(await dieAndResume(path, at), `died at ${at}, ${points[at]}`).toEqual(outcome)
      rmSync(path)
    }
    console.log(`died at each of ${points.length} boundaries, and was resumed`)
  })

  it('would be caught if effects were kept apart from results', async () => {
    const { outcome, points } = await runUndisturbed(newPath(), true)
    const tools = [...points.keys()].filter(at => points[at] === 'after sell')
    const differs: number[] = []
    for (const at of tools) {
      const { result } = await dieAndResume(newPath(), at, true)
      if (JSON.stringify(result) !== JSON.stringify(outcome.result)) differs.push(at)
    }
    expect(differs).toEqual(tools)
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
    const points = spread([...Array(count).keys()], 6)
    for (const killAt of points) {
      const path = join(program.folder, `${killAt}.db`)
      expect((await program.run({ path, killAt })).signal, `killed at ${killAt}`).toBe('SIGKILL')
      const resumed = await program.run({ path, laterMs: hour, isResumed: true })
      expect(resumed.told?.outcome, `killed at ${killAt} ${resumed.errors}`).toEqual(outcome)
    }
    console.log(`${points.length} processes killed, at ${isLong ? 'all' : 'some'} of ${count} boundaries`)
  })

  it('may be killed again while it goes on', async () => {
    const path = join(program.folder, 'twice.db')
    const whole = await program.run({ path: join(program.folder, 'other.db') })
    await program.run({ path, killAt: 40 })
    for (let times = 1; times <= 3; times++)
      expect((await program.run({ path, killAt: 25, laterMs: times * hour, isResumed: true })).signal).toBe(
        'SIGKILL',
      )
    const last = await program.run({ path, laterMs: 5 * hour, isResumed: true })
    expect(last.told?.outcome).toEqual(whole.told?.outcome)
  })
})
