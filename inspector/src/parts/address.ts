import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { ThreadPlace } from '../api/queries.ts'
import { type Fate, isFate } from './fates.ts'

/** What the address of a view of a conversation says besides the view: the thread, the moment, the selection, the filter. */
export interface ConversationSearch {
  readonly actor?: string
  readonly branch?: string
  readonly turn?: number
  readonly call?: string
  readonly entry?: number
  readonly fate?: Fate
  readonly q?: string
  /** What if: the two sides, as `4096.balanced`. */
  readonly a?: string
  readonly b?: string
  /** The texts of their system prompts, where these are others. */
  readonly systemA?: string
  readonly systemB?: string
  /** Over time: the policy to compare with, what a bar is, and whether the figures are shown as a table. Calls: `dump` for a text. */
  readonly with?: string
  readonly by?: 'turn' | 'call'
  readonly as?: 'table' | 'dump'
}

type Given = Readonly<Record<string, unknown>>

/** Reads it: what makes no sense is left out, so that an old address still opens. */
export function readConversationSearch(given: Given): ConversationSearch {
  return {
    ...texts(given, ['actor', 'branch', 'call', 'q', 'a', 'b', 'systemA', 'systemB', 'with']),
    ...numbers(given, ['turn', 'entry']),
    ...(isFate(given.fate) && { fate: given.fate }),
    ...((given.by === 'turn' || given.by === 'call') && { by: given.by }),
    ...((given.as === 'table' || given.as === 'dump') && { as: given.as }),
  }
}

export interface ExperimentSearch {
  readonly step?: number
  readonly role?: string
}

export const readExperimentSearch = (given: Given): ExperimentSearch => ({
  ...texts(given, ['role']),
  ...numbers(given, ['step']),
})

/** The list of experiments: whether one is being started, and from whose plan. */
export interface ExperimentsSearch {
  readonly start?: string
  readonly of?: string
}

export const readExperimentsSearch = (given: Given): ExperimentsSearch => texts(given, ['start', 'of'])

export interface ListSearch {
  readonly q?: string
  /** Which of the list are shown. */
  readonly show?: string
  /** Whose conversations are shown. */
  readonly client?: string
  /** The client that is to be pointed here: whose line is shown. */
  readonly to?: string
}

export const readListSearch = (given: Given): ListSearch => texts(given, ['q', 'show', 'client', 'to'])

function texts<Name extends string>(given: Given, names: readonly Name[]): { readonly [N in Name]?: string } {
  const found: { [N in Name]?: string } = {}
  for (const name of names) {
    const value = given[name]
    if (typeof value === 'string' && value !== '') found[name] = value
  }
  return found
}

function numbers<Name extends string>(
  given: Given,
  names: readonly Name[],
): { readonly [N in Name]?: number } {
  const found: { [N in Name]?: number } = {}
  for (const name of names) {
    const value = String(given[name] ?? '')
    if (/^\d{1,9}$/.test(value)) found[name] = Number(value)
  }
  return found
}

/** The search of an address as a flat list of texts: `?turn=168&fate=recalled`. */
export const parseSearch = (text: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(text))

export function stringifySearch(search: Given): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}

export interface Place {
  readonly conversation: string
  readonly thread: ThreadPlace
  readonly search: ConversationSearch
  /** Changes the address. Scrubbing replaces, opening pushes: the button "back" then leads to what was opened before. */
  readonly go: Go<ConversationSearch>
}

export type Go<Search> = (changes: Search, options?: { readonly push?: boolean }) => void

/** A thread as addresses name it: without the usual actor and branch. */
export const toThreadSearch = ({ actor, branch }: Partial<Pick<ThreadPlace, 'actor' | 'branch'>> = {}) => ({
  actor: actor === 'assistant' ? undefined : actor,
  branch: branch === 'main' ? undefined : branch,
})

/** What an address says of the thread only: links to another view of it begin with this. */
export const threadSearch = ({ actor, branch }: ConversationSearch) => ({
  ...{ actor, branch },
})

/** Where a view of a conversation is, by its address. */
export function usePlace(): Place {
  const { conversation = '' } = useParams({ strict: false })
  const search = useSearch({ strict: false }) as ConversationSearch
  const { actor, branch } = search
  return { conversation, thread: { conversation, actor, branch }, search, go: useGo<ConversationSearch>() }
}

/** Where a view of an experiment is, by its address. */
export function useExperimentPlace() {
  const { experiment = '', view = 'board' } = useParams({ strict: false })
  const search = useSearch({ strict: false }) as ExperimentSearch
  return { experiment, view, search, go: useGo<ExperimentSearch>() }
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
