import type { Model } from '../../model.ts'

export type Body = Readonly<Record<string, unknown>>

/** Answers one route. `left` is aborted when the client is gone, which stops the reader. */
export type Handler = (body: Body | undefined, left: AbortController) => Response | Promise<Response>

/** What the routes share. */
export interface Upstream {
  readonly models: readonly string[]
  readonly window: number
  readonly now: () => number
  hasModel(name: string): boolean
  /** Makes a reader for one request, with the window that it asks for, but at most the server's. */
  open(options: {
    readonly name: string
    readonly overflow: 'error' | 'cut'
    readonly windowAsked?: number | undefined
  }): Model
}
