import type { Adapter } from './adapter.ts'
import type { Patch } from './patch.ts'

/** One form in which clients ask for replies and servers are asked: a folder beside this file, and a line in `index.ts`. */
export interface Dialect {
  /** What a model server that speaks it is sent. Absent where clients alone speak it. */
  readonly spoken?: {
    /** As wires and adapters name it. */
    readonly form: string
    /** The kind of these servers. */
    readonly server: string
    /** What may have to change in a client's own body. */
    readonly patch: Patch
  }
  /** How its requests are read and its replies written, by their addresses, which may be patterns of the router. */
  readonly adapters: Readonly<Record<string, Adapter>>
  /** Whether an address is of its API, also one that is only passed on. */
  isOf(path: string): boolean
  /** Words the errors of its addresses. */
  readonly errors: Adapter
}
