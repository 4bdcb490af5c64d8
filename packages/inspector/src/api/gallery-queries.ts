import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ApplicationState } from '@throughline/gallery/api-types'
import { type AnswerOf, ask } from './client.ts'
import { inConversation, routeQuery } from './queries.ts'

export type {
  AgentDrawing,
  ApplicationState,
  LampDrawing,
  SentAs,
  SiteDrawing,
  WaysColumn,
  WaysDrawing,
} from '@throughline/gallery/api-types'

export type ApplicationInfo = AnswerOf<'get /gallery'>['applications'][number]

/** The applications of this server. A server without the gallery has none. */
export const galleryQuery = {
  ...routeQuery(['gallery'], 'get /gallery'),
  select: ({ applications }: AnswerOf<'get /gallery'>) => applications,
}

export type DrawingOf<Kind> = Extract<ApplicationState['drawing'], { readonly kind: Kind }>

/** Where an application stands. It is a conversation too, so what is written to it makes this stale. */
export const applicationQuery = (
  application: string,
  conversation: string,
  model: string | undefined,
) =>
  queryOptions({
    queryKey: [...inConversation(conversation), 'application', application, model ?? ''],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      ask('get /gallery/:application/:conversation', {
        params: { application, conversation },
        query: { model },
        signal,
      }),
  })
