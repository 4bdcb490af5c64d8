import { setTimeout as pause } from 'node:timers/promises'
import { BadRequestError, ThroughlineError } from '@throughline/core/errors'
import { lastEventOf } from '@throughline/server/api/event-stream'
import { factorField, windowField } from '@throughline/server/api/model-tokens'
import { type ApiCall, defineRoute } from '@throughline/server/api/route'
import { isNew, underFreeName } from '@throughline/server/api/samples'
import {
  callStatus,
  count,
  limitOf,
  message,
  name,
  place,
  time,
} from '@throughline/server/api/schemas'
import { turnStatus } from '@throughline/server/api/threads'
import { notFound } from '@throughline/server/auth/refusals'
import { z } from 'zod'
import { createExperiments } from '../create-experiments.ts'
import { InvalidPlanError } from '../experiment-error.ts'
import type { Experiment, ExperimentSummary } from '../index.ts'
import type { OnEvent, RunningExperiments } from './running-experiments.ts'
import { type ExperimentPlugOptions, moduleOf, readSamplePlan } from './sample.ts'

const summary = z.object({
  id: name,
  name: z.string(),
  status: z.enum(['RUNNING', 'PAUSED', 'INTERRUPTED', 'COMPLETED', 'FAILED', 'STOPPED']),
  result: z.string().optional(),
  steps: count,
  maxSteps: count,
  startedAt: time,
  updatedAt: time.describe('when a step ended, or it was paused, resumed or ended'),
  hasPlan: z.boolean().describe('whether its plan is stored, so that it can be run again'),
})

const environment = z.record(z.string(), z.unknown()).describe('the variables and their values')

const view = summary.extend({
  roles: z.array(z.string()),
  variables: z.record(z.string(), z.string()).describe('the types of the variables'),
  environment,
  goals: z.array(
    z.object({
      description: z.string(),
      outcome: z.enum(['completed', 'failed']).optional(),
      isMet: z.boolean(),
    }),
  ),
  snapshots: z.array(z.object({ step: count, environment })),
})

const act = z.object({
  role: z.string(),
  turn: count,
  first: place,
  last: place,
  status: turnStatus,
  error: z.string().optional().describe('the code of a failed turn'),
  startedAt: time,
  endedAt: time.optional(),
  text: z.string().describe('what the model said'),
  tools: z.array(
    z.object({
      seq: place,
      name: z.string(),
      arguments: z.string(),
      result: z.string().optional().describe('absent while the tool runs'),
      isError: z.boolean().optional(),
      changes: z
        .record(z.string(), z.string())
        .describe('the variables it changed, with their new values'),
    }),
  ),
  calls: z
    .array(
      z.object({
        id: name,
        status: callStatus,
        model: z.string(),
        predicted: count,
        reported: z.number().optional(),
        window: windowField,
        reserve: count,
        factor: factorField,
      }),
    )
    .describe('oldest first'),
})

const wished = z.object({
  is: z.enum(['asked', 'done']).describe('asked: done before the next role acts'),
})
const planBody = z
  .looseObject({ name: z.string() })
  .describe('a plan as JSON: docs/experiments.md. Its models are those of the upstream')

const experimentEvent = z
  .looseObject({ type: z.string() })
  .describe('`state` with where it stands, then what happens; from another process only `state`')

/** What the routes of one server share. */
interface PlugParts extends ExperimentPlugOptions {
  readonly running: RunningExperiments
}

export const experimentRoutes = (plug: PlugParts) => [
  defineRoute('get', '/experiments', {
    scope: 'inspect',
    summary: 'Lists all experiments.',
    answer: z.object({ experiments: z.array(summary) }),
    handle: async call => ({ experiments: await experimentsOf(call).list() }),
  }),
  defineRoute('post', '/experiments', {
    scope: 'admin',
    summary: 'Starts an experiment from a plan, or from the plan of another experiment.',
    body: {
      id: name.optional(),
      plan: planBody.optional(),
      planOf: name.optional().describe('the experiment whose plan is run again'),
    },
    status: 201,
    answer: summary,
    async handle(call) {
      const { id, plan, planOf } = call.body
      if ((plan === undefined) === (planOf === undefined))
        throw new BadRequestError('plan: give either "plan" or "planOf".', 'plan')
      return startExperiment(plug, call, plan ?? (await storedPlan(call, planOf!)), id)
    },
  }),
  defineRoute('get', '/experiments/:experiment', {
    scope: 'inspect',
    summary:
      'Shows an experiment: its environment, its goals, and the environment after each step.',
    query: { since: count.optional().describe('only the snapshots of this step and after') },
    answer: view,
    async handle(call) {
      const { since = 0 } = call.query
      const {
        plan: _,
        snapshots,
        ...shown
      } = await experimentsOf(call).show(call.params.experiment)
      return { ...shown, snapshots: snapshots.filter(({ step }) => step >= since) }
    },
  }),
  defineRoute('get', '/experiments/:experiment/plan', {
    scope: 'inspect',
    summary: 'Shows the plan, if it came as JSON.',
    answer: planBody,
    handle: call => storedPlan(call, call.params.experiment),
  }),
  defineRoute('get', '/experiments/:experiment/steps', {
    scope: 'inspect',
    summary: 'Tells what each role did in each step: tools, what they changed, text, model calls.',
    query: { from: z.int().min(1).optional(), limit: limitOf(50, 200) },
    answer: z.object({ steps: z.array(z.object({ step: count, acts: z.array(act) })) }),
    async handle(call) {
      const { from = 1, limit } = call.query
      return { steps: await experimentsOf(call).steps(call.params.experiment, { from, limit }) }
    },
  }),
  defineRoute('get', '/experiments/:experiment/roles/:role', {
    scope: 'inspect',
    summary: 'Shows the messages of a role.',
    answer: z.object({ messages: z.array(message) }),
    async handle(call) {
      const { experiment, role } = call.params
      return { messages: await experimentsOf(call).history(experiment, role) }
    },
  }),
  defineRoute('get', '/experiments/:experiment/events', {
    scope: 'inspect',
    summary:
      'Tells what happens in an experiment until it ends. `Last-Event-ID` tells what was missed.',
    kind: 'events',
    answer: experimentEvent,
    async handle(call) {
      const state = toState(await experimentsOf(call).show(call.params.experiment))
      return watchExperiment(plug, call, call.params.experiment, state)
    },
  }),
  defineRoute('post', '/experiments/:experiment/pause', {
    scope: 'admin',
    summary: 'Pauses an experiment.',
    answer: wished,
    handle: async call => ({ is: await experimentsOf(call).pause(call.params.experiment) }),
  }),
  defineRoute('post', '/experiments/:experiment/resume', {
    scope: 'admin',
    summary:
      'Resumes an experiment that is paused or lost its process. Needs its plan if none is stored.',
    body: {
      plan: planBody.optional(),
      acts: z
        .int()
        .min(1)
        .max(1000)
        .optional()
        .describe('pauses again after this many acts of roles'),
    },
    answer: summary,
    async handle(call) {
      const { experiment: id } = call.params
      let left = call.body.acts ?? Number.POSITIVE_INFINITY
      const experiments = experimentsOf(call)
      const shown = await experiments.show(id)
      if (isOver(shown))
        throw new ThroughlineError(
          'experiment_ended',
          `The experiment "${id}" has ended as ${shown.status}.`,
        )
      const plan = await readPlan(plug, call, call.body.plan ?? (await storedPlan(call, id)))
      return begin(
        plug,
        call,
        signal => experiments.resume(plan, id, { signal }),
        async ({ type }) => {
          if (type === 'role-ended' && --left === 0) await experiments.pause(id)
        },
      )
    },
  }),
  defineRoute('post', '/experiments/:experiment/stop', {
    scope: 'admin',
    summary: 'Stops an experiment for good.',
    answer: wished,
    handle: async call => ({ is: await experimentsOf(call).stop(call.params.experiment) }),
  }),
  defineRoute('post', '/samples/experiment', {
    scope: 'admin',
    summary:
      'Starts the sample experiment, a lemonade stand that needs no model, if it is not there.',
    answer: summary.extend({ isNew }),
    handle: call =>
      underFreeName(`sample-${plug.sample.name}`, async id => {
        const [info] = await call.log.history.conversations({ only: id, limit: 1 })
        const shown = info
          ? await experimentsOf(call).show(id)
          : await startExperiment(plug, call, await readSamplePlan(plug.sample), id)
        return { ...toSummary(shown), isNew: !info }
      }),
  }),
]

async function startExperiment(plug: PlugParts, call: ApiCall, json: object, id?: string) {
  const plan = await readPlan(plug, call, json)
  return begin(plug, call, signal => experimentsOf(call).run(plan, { signal, id }))
}

async function begin(
  { running }: PlugParts,
  call: ApiCall,
  run: (signal: AbortSignal) => Experiment,
  onEvent?: OnEvent,
) {
  const stop = new AbortController()
  const experiment = run(stop.signal)
  await running.start(call.caller.tenant, experiment, stop, onEvent)
  return toSummary(await experimentsOf(call).show(experiment.id))
}

/** Models are those of the upstream, and code that a request names is never run, but for that of the sample. */
async function readPlan({ sample: known, tools }: PlugParts, { parts }: ApiCall, json: unknown) {
  const { name, tools: code } = json as { readonly name: string; readonly tools?: unknown }
  const sample = code === moduleOf(known) ? await known.code() : undefined
  if (code !== undefined && !sample)
    throw new InvalidPlanError(name, [
      'tools: a server runs no code that a plan names: leave it out',
    ])
  // Loaded with the first plan, so that the server starts faster.
  const { parseExperiment } = await import('../plan/parse-experiment.ts')
  return parseExperiment(json, {
    tools: sample?.default ?? tools,
    modelOf(model) {
      if (sample && Object.hasOwn(sample.models, model)) return sample.models[model]!
      if (model.startsWith('openai:'))
        throw new Error('a server of its own cannot be asked here: name a model of the upstream')
      return parts.upstreams.model(model.replace(/^ollama:/, ''))
    },
  })
}

async function storedPlan(call: ApiCall, id: string): Promise<object> {
  const { plan } = await experimentsOf(call).show(id)
  if (!plan) throw notFound('plan', id)
  return plan
}

const experimentsOf = ({ log, parts }: ApiCall) =>
  createExperiments({ history: log.history, newId: parts.newId })

/** What lists tell of an experiment, without its environment and its goals. */
const toSummary = (view: ExperimentSummary) => summary.parse(view)

function toState(view: ExperimentSummary & { readonly environment: object }) {
  return { type: 'state', ...toSummary(view), environment: view.environment }
}

const isOver = ({ status }: Pick<ExperimentSummary, 'status'>) =>
  !['RUNNING', 'PAUSED', 'INTERRUPTED'].includes(status)

/** Where an experiment of another process stands is asked so often. */
const lookMs = 1000

/** The events of an experiment that runs here; of another, where it stands, whenever that changes. */
async function* watchExperiment(
  { running }: PlugParts,
  call: ApiCall,
  id: string,
  first: ReturnType<typeof toState>,
) {
  const { signal, caller, request } = call
  let since = Number(lastEventOf(request) ?? 0) || 0
  let lastLooks = ''
  for (let state = first; ; state = toState(await experimentsOf(call).show(id))) {
    const looks = JSON.stringify(state)
    if (looks !== lastLooks) yield { event: 'state', data: state }
    lastLooks = looks
    if (isOver(state) || signal.aborted) return
    for await (const event of running.listen(caller.tenant, id, since, signal)) {
      since = Number(event.id)
      yield event
    }
    if (signal.aborted) return
    await pause(lookMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
}
