import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MessageLike } from '@throughline/core'
import { createHistory, type History } from '@throughline/history'
import { rules } from '@throughline/models'
import type { Model, ModelPart, ModelRequest } from '@throughline/models/model'
import type { RulesAnswer, RulesOptions, RulesRequest } from '@throughline/models/reader'
import { sqliteStore } from '@throughline/stores/sqlite'
import { afterFile } from '@throughline/test-tools/after-file'
import { createExperiments, type ExperimentEvent, type Experiments } from '../src/index.ts'

/** Real files, in memory where the system can: no test here loses power, and hundreds of experiments wait for each write. */
const base = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** Where a new database may stand; its folder is removed after the test file. */
export function newPath(): string {
  const folder = mkdtempSync(join(base, 'throughline-experiment-'))
  afterFile(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'experiments.db')
}

/** Experiments in a new SQLite file, or in one that is there. */
export function openExperiments(path = newPath()): { history: History; experiments: Experiments } {
  const history = createHistory({ store: sqliteStore({ path }) })
  afterFile(() => history.close())
  return { history, experiments: createExperiments({ history, backoffMs: 1 }) }
}

/** A model that answers from a list, the last answer for ever, and keeps what it was asked. */
export const script = (...answers: readonly ScriptAnswer[]) => scriptIn({}, ...answers)

type ScriptAnswer = RulesAnswer | ((request: RulesRequest) => RulesAnswer)

/** The same with options of the model, such as its window. */
export function scriptIn(options: RulesOptions, ...answers: readonly ScriptAnswer[]) {
  const requests: ModelRequest[] = []
  const model = rules(request => {
    const answer = answers[Math.min(requests.length, answers.length) - 1] ?? ''
    return typeof answer === 'function' ? answer(request) : answer
  }, options)
  const recording: Model = {
    ...model,
    stream(request) {
      requests.push(request)
      return model.stream(request)
    },
  }
  return { model: recording, requests }
}

/** A model whose every call is given by a function: to break off in the middle, say. */
export function broken(
  stream: (call: number, request: ModelRequest) => AsyncIterable<ModelPart>,
): Model & { readonly calls: () => number } {
  let calls = 0
  return {
    name: 'broken',
    window: async () => 4096,
    stream: request => stream(++calls, request),
    calls: () => calls,
  }
}

export const call = (name: string, input: object = {}) => ({ calls: [{ name, arguments: input }] })

/** Messages without the fields that differ from one experiment to the next. */
export function plain(messages: readonly MessageLike[]): readonly object[] {
  return messages.map(({ time: _, ...message }) => message)
}

export const rolesOf = (messages: readonly MessageLike[]) => messages.map(({ role }) => role)
export const textsOf = (messages: readonly MessageLike[]) => messages.map(({ content }) => content)

export async function eventsOf(
  run: AsyncIterable<ExperimentEvent>,
): Promise<readonly ExperimentEvent[]> {
  const events: ExperimentEvent[] = []
  for await (const event of run) events.push(event)
  return events
}
