import { expect, it } from 'vitest'
import { linesOf } from '../src/views/experiments/describe-act.ts'
import { stepsOf } from '../src/views/experiments/experiment-status.ts'
import { measureGoal } from '../src/views/experiments/goal-measure.ts'
import { seriesOf } from '../src/views/experiments/series.ts'

it('gives a row the values of all its goals, and tells those that fail from those that are wanted', () => {
  const goals = [
    { holds: 'count >= 6', outcome: 'completed' },
    { holds: 'count > 40', outcome: 'failed' },
    { holds: 'cash - loan <= -5', outcome: 'failed' },
  ]
  const shown = {
    variables: { count: 'int', cash: 'int', loan: 'int' },
    snapshots: [{ step: 0, environment: { count: 0, cash: 3, loan: 1 } }],
    environment: {},
    steps: 0,
    goals,
  }
  const rows = seriesOf(
    shown as never,
    goals.map(({ holds }) => measureGoal(holds)),
    false,
  )
  expect(rows.map(({ name, type, targets }) => ({ name, type, targets }))).toEqual([
    { name: 'cash - loan', type: 'goal', targets: [{ value: -5, sign: '<=', isFailure: true }] },
    {
      ...{ name: 'count', type: 'int' },
      targets: [
        { value: 6, sign: '>=', isFailure: false },
        { value: 40, sign: '>', isFailure: true },
      ],
    },
    { name: 'cash', type: 'int', targets: [] },
    { name: 'loan', type: 'int', targets: [] },
  ])
})

it('marks the words of a turn that failed, and counts steps by name', () => {
  const act = { tools: [], text: '[This turn failed: model_refused.]', calls: [] }
  expect(linesOf({ ...act, status: 'failed' } as never)[0]).toMatchObject({ kind: 'failed' })
  expect(linesOf({ ...act, status: 'completed' } as never)[0]).toMatchObject({ kind: 'done' })
  expect(stepsOf({ steps: 3, maxSteps: 10 } as never)).toBe('3 of 10 steps')
})
