import type { Fields } from '../../../log/fields.ts'

/** What the writer needs to know of a request. JSON: the log keeps it beside the reply. */
export interface ResponsesHints {
  /** The fields of the request that every response repeats. */
  readonly echo: Fields
  /** Whether thoughts come back whole with the next request, for clients that keep no readable ones. */
  readonly isThoughtKept: boolean
  /** The tools of namespaces, by the flat names that a model sees. */
  readonly namespaced: Readonly<Record<string, NamespacedTool>>
  /** Whether the client is Codex. The server tells it from the headers. */
  readonly isCodex?: boolean
}

export interface NamespacedTool {
  readonly namespace: string
  readonly name: string
}

/** Marks thoughts that this server sent. Thoughts of other servers are encrypted, so that no model can read them. */
export const thoughtMark = 'throughline:'
