import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { PlanJson } from '@throughline/experiment/api-types'
import { type AnswerOf, ask } from './client.ts'
import { inConversation, logQuery, routeQuery } from './queries.ts'

/** The actor of the thread that an experiment itself writes. A conversation with this actor is an experiment. */
export const experimentActor = 'throughline:run'

export const experimentsQuery = routeQuery(['experiments'], 'get /experiments')

export type { PlanJson }
export type ExperimentSummary = AnswerOf<'get /experiments'>['experiments'][number]
export type ExperimentAnswer = AnswerOf<'get /experiments/:experiment'>

/** One experiment. It is a conversation too, so what is written to it makes this stale; then only new snapshots are read. */
export function experimentQuery(experiment: string) {
  const queryKey = [...inConversation(experiment), 'experiment'] as const
  return queryOptions({
    queryKey,
    queryFn: async ({ signal, client }): Promise<ExperimentAnswer> => {
      const cached = client.getQueryData<ExperimentAnswer>(queryKey)?.snapshots ?? []
      const since = cached.at(-1)?.step ?? 0
      const read = await ask('get /experiments/:experiment', {
        params: { experiment },
        query: { since },
        signal,
      })
      return {
        ...read,
        snapshots: [...cached.filter(({ step }) => step < since), ...read.snapshots],
      }
    },
  })
}

export const hasEnded = (status: ExperimentSummary['status']): boolean =>
  !['RUNNING', 'PAUSED', 'INTERRUPTED'].includes(status)

export const planQuery = (experiment: string) => ({
  ...routeQuery(['plan', experiment], 'get /experiments/:experiment/plan', {
    params: { experiment },
  }),
  // The server has checked it.
  select: (plan: object) => plan as PlanJson,
})

export type ExperimentStep = AnswerOf<'get /experiments/:experiment/steps'>['steps'][number]
export type RoleAct = ExperimentStep['acts'][number]

export const stepsPerPage = 50

/** What roles did in a page of steps. A page whose steps have all `ended` never changes, so nothing makes it stale. */
export const stepsQuery = (experiment: string, page: number, ended: number) => ({
  ...routeQuery(
    ended >= (page + 1) * stepsPerPage
      ? ['settled-steps', experiment, page]
      : [...inConversation(experiment), 'experiment', 'steps', page],
    'get /experiments/:experiment/steps',
    { params: { experiment }, query: { from: page * stepsPerPage + 1, limit: stepsPerPage } },
  ),
  placeholderData: keepPreviousData,
})

/** The entries of a role up to a place. Entries never change, so that nothing that is written later makes them stale. */
export const turnLogQuery = (
  experiment: string,
  role: string,
  page: Parameters<typeof logQuery>[1],
) => ({
  ...logQuery({ conversation: experiment, actor: role }, page),
  queryKey: ['turn-log', experiment, role, page],
  placeholderData: keepPreviousData,
})
