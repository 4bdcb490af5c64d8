import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import type { AnswerOf } from '../api/client.ts'
import type { ListedConversation } from '../api/conversation-list.ts'
import { type ThreadAddress, usualActor, usualBranch } from '../api/queries.ts'
import { fateNames } from './fates.ts'

type SearchFields = Readonly<Record<string, unknown>>

/** Reads a field of an address; undefined where it makes no sense. */
type FieldReader<Value> = (value: string) => Value | undefined

const text: FieldReader<string> = value => value || undefined
const whole: FieldReader<number> = value => (/^\d{1,9}$/.test(value) ? Number(value) : undefined)
const oneOf =
  <Value extends string>(...values: readonly Value[]): FieldReader<Value> =>
  value =>
    values.find(one => one === value)

type SearchOf<Fields> = {
  readonly [Name in keyof Fields]?: Fields[Name] extends FieldReader<infer Value> ? Value : never
}

/** Reads an address by its fields: what makes no sense is left out, so that an old address still opens. */
const searchReader =
  <Fields extends Readonly<Record<string, FieldReader<unknown>>>>(fields: Fields) =>
  (search: SearchFields): SearchOf<Fields> => {
    const values = Object.entries(fields).map(([name, read]) => [
      name,
      read(String(search[name] ?? '')),
    ])
    return Object.fromEntries(values.filter(([, value]) => value !== undefined))
  }

/** What the address of a view of a conversation says besides the view: the thread, the moment, the selection, the filter. */
export const readConversationSearch = searchReader({
  actor: text,
  branch: text,
  turn: whole,
  call: text,
  entry: whole,
  fate: oneOf(...fateNames),
  q: text,
  /** Context: the form of what was sent, if it is not the readable one. */
  as: oneOf('request', 'text'),
  /** A comparison in Context: the sides, as `4096.balanced`, and their system prompts, where these are others. `b` opens it. */
  a: text,
  b: text,
  systemA: text,
  systemB: text,
  /** Context: the sentence of the answer whose sources are shown, and what the model is looked for to have seen. */
  said: text,
  saw: text,
  /** Context: the card of an answer that forgot: of this message, or 0 for the one that the server finds. */
  card: whole,
  /** Chat: the branch that is compared with the one that is shown. */
  beside: text,
  /** Over time: the policy to compare with, and what a bar is. */
  with: text,
  by: oneOf('turn', 'call'),
})
export type ConversationSearch = ReturnType<typeof readConversationSearch>

/** `plan`: whether the plan lies over the board. */
export const readExperimentSearch = searchReader({ step: whole, role: text, plan: oneOf('open') })
export type ExperimentSearch = ReturnType<typeof readExperimentSearch>

/** The list of experiments: whether one is being started, and from whose plan. */
export const readExperimentsSearch = searchReader({ start: text, of: text })
export type ExperimentsSearch = ReturnType<typeof readExperimentsSearch>

/** An application of the gallery: which of its conversations, and who answers. Default: the newest, and the server's choice. */
export const readGallerySearch = searchReader({ conversation: text, model: text })
export type GallerySearch = ReturnType<typeof readGallerySearch>

/** `show`: which of the list are shown; `client`: whose; `to`: the client that is to be pointed here, whose line is shown. */
export const readListSearch = searchReader({ q: text, show: text, client: text, to: text })
export type ListSearch = ReturnType<typeof readListSearch>

/** The search of an address as a flat list of texts: `?turn=168&fate=recalled`. */
export const parseSearch = (text: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(text))

export function stringifySearch(search: SearchFields): string {
  const fields = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(fields.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}

export interface ViewPlace {
  readonly conversation: string
  readonly thread: ThreadAddress
  readonly search: ConversationSearch
  /** Changes the address. Scrubbing replaces, opening pushes: the button "back" then leads to what was opened before. */
  readonly go: Go<ConversationSearch>
}

export type Go<Search> = (changes: Search, options?: { readonly push?: boolean }) => void

/** A thread as addresses name it: without the usual actor and branch. */
export const toThreadSearch = ({
  actor,
  branch,
}: Partial<Pick<ThreadAddress, 'actor' | 'branch'>> = {}) => ({
  actor: actor === usualActor ? undefined : actor,
  branch: branch === usualBranch ? undefined : branch,
})

/** What an address says of the thread only: links to another view of it begin with this. */
export const threadSearch = ({ actor, branch }: ConversationSearch) => ({
  actor,
  branch,
})

/** Where a view of a conversation is, by its address. */
export function usePlace(): ViewPlace {
  const { conversation = '' } = useParams({ strict: false })
  const search = useSearch({ strict: false }) as ConversationSearch
  const { actor, branch } = search
  const thread = useMemo(() => ({ conversation, actor, branch }), [conversation, actor, branch])
  return { conversation, thread, search, go: useGo<ConversationSearch>() }
}

export function useExperimentPlace() {
  const { experiment = '' } = useParams({ strict: false })
  const search = useSearch({ strict: false }) as ExperimentSearch
  return { experiment, search, go: useGo<ExperimentSearch>() }
}

/** Changes what the address says; what becomes undefined is taken out of it. */
export function useGo<Search>(): Go<Search> {
  const navigate = useNavigate()
  return useCallback(
    (changes, { push = false } = {}) =>
      void navigate({
        to: '.',
        search: ((before: object) => ({ ...before, ...changes })) as never,
        replace: !push,
        resetScroll: false,
      }),
    [navigate],
  )
}

/** The address of a view of a conversation, for links and for `navigate`. */
export function viewAt<View extends 'chat' | 'context' | 'over-time' | 'tools'>(
  view: View,
  conversation: string,
  search: ConversationSearch = {},
) {
  return { to: `/c/$conversation/${view}`, params: { conversation }, search } as const
}

export const boardAt = (experiment: string) =>
  ({ to: '/e/$experiment', params: { experiment }, search: {} }) as const

/** The address of a conversation's newest thread: that is what its row shows. */
export const linkOf = ({ conversation, latest }: ListedConversation) => ({
  params: { conversation },
  search: toThreadSearch(latest),
})

export type SearchHit = AnswerOf<'get /search'>['found'][number]

export const placeOfHit = (hit: Pick<SearchHit, 'actor' | 'branch' | 'seq'>) => ({
  ...toThreadSearch(hit),
  entry: hit.seq,
})

export const keyOfHit = ({ conversation, actor, branch, seq }: SearchHit): string =>
  JSON.stringify([conversation, actor, branch, seq])
