import type { Store, ThreadKey } from '../stores/store.ts'
import { equal } from './store-cases-expect.ts'
import { newThread } from './store-cases-help.ts'

export type CreateStore = () => Promise<Store>

/** One requirement on every store. `run` throws when the store fails it. */
export interface StoreCase {
  readonly name: string
  run(create: CreateStore): Promise<void>
}

export function storeCase(
  name: string,
  body: (store: Store, thread: ThreadKey) => Promise<unknown>,
): StoreCase {
  return {
    name,
    async run(create) {
      const store = await create()
      try {
        await store.migrate()
        await body(store, newThread())
        equal(await store.check(), [], 'what check() finds')
      } finally {
        await store.close()
      }
    },
  }
}
