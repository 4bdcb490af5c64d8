import type { Adapter } from './adapter.ts'
import type { Patch } from './patch.ts'

/** One form in which clients ask for replies and servers are asked: a folder beside this file, and a line in `index.ts`. */
export interface Dialect {
  /** As wires and adapters name it. */
  readonly form: string
  /** The kind of model servers that speak it. */
  readonly server: string
  /** How its requests are read and its replies written, by their addresses. */
  readonly adapters: Readonly<Record<string, Adapter>>
  /** Whether an address is of its API, also one that is only passed on. */
  isOf(path: string): boolean
  /** Words the errors of its addresses. */
  readonly errors: Adapter
  /** What may have to change in a client's own body. */
  readonly patch: Patch
}
