import { parseJson } from '@throughline/core/values'
import type { Store, ThreadKey } from '@throughline/stores/store'
import { isSideName } from '../side-name.ts'
import type { OverlayState } from './overlay.ts'
import { mainBranch } from './read-log.ts'

/**
 * The branches of a thread, newest write first, without those of side requests and those that were never continued. What a
 * person asks again beside a client stands on a branch of its own: no request of the client goes on there.
 */
export async function linesOf(
  store: Store,
  { tenant, conversation, actor }: Omit<ThreadKey, 'branch'>,
): Promise<readonly ThreadKey[]> {
  const [info] = await store.conversations(tenant, { only: conversation, limit: 1 })
  const all = (info?.threads ?? []).filter(one => one.actor === actor && !isSideName(one.branch))
  // A branch is younger than the thread that it leaves.
  const isMain = ({ branch }: { readonly branch: string }) => Number(branch === mainBranch)
  const sorted = all.toSorted((a, b) => b.updatedAt - a.updatedAt || isMain(a) - isMain(b))
  const lines = sorted
    .slice(0, mostLines)
    .map(({ branch }) => ({ tenant, conversation, actor, branch }))
  for (let from = 0; from < lines.length - 1; from++) {
    const line = lines[from]!
    const { head, forkOf } = (await store.head(line)) ?? {}
    const isContinued = !forkOf || head !== forkOf.at
    if (isContinued && !(forkOf && (await isAside(store, line, forkOf.branch))))
      return lines.slice(from)
  }
  return lines.slice(-1)
}

/** Whether a branch was not made by a client, and the one that it leaves was written by one. */
const isAside = async (store: Store, line: ThreadKey, left: string) =>
  !(await isOfClient(store, line)) && (await isOfClient(store, { ...line, branch: left }))

/** Whether the newest turn of a branch was asked by a client of the server, not in the page or by the API. */
export async function isOfClient(store: Store, key: ThreadKey): Promise<boolean> {
  const turn = (await store.turns(key)).at(-1)
  if (!turn) return false
  for await (const { payload } of store.entries(key, { from: turn.first, to: turn.last })) {
    const { data } = (parseJson(payload) ?? {}) as {
      readonly data?: { readonly request?: unknown }
    }
    if (data !== undefined) return data?.request !== undefined
  }
  return false
}

const mostLines = 100

/** The threads that a line is made of: itself, and those that it left, each with the last entry that it shares. */
async function ancestryOf(store: Store, line: ThreadKey): Promise<ReadonlyMap<string, number>> {
  const shared = new Map<string, number>()
  let [branch, most]: [string | undefined, number] = [line.branch, Number.POSITIVE_INFINITY]
  while (branch !== undefined && !shared.has(branch)) {
    shared.set(branch, most)
    const head: Awaited<ReturnType<Store['head']>> = await store.head({ ...line, branch })
    most = Math.min(most, head?.forkOf?.at ?? 0)
    branch = head?.forkOf?.branch
  }
  return shared
}

/**
 * Tells which entries of conversations still are what is said there: they stand on the line that was written to last, and its
 * client has neither deleted nor changed them. Each conversation is looked at once.
 */
export function createStillSaid(
  store: Store,
  overlayOf: (line: ThreadKey) => Promise<OverlayState | undefined>,
) {
  async function look(thread: ThreadKey) {
    const [line] = await linesOf(store, thread)
    if (!line) return undefined
    return { shared: await ancestryOf(store, line), overlay: await overlayOf(line) }
  }
  const looks = new Map<string, ReturnType<typeof look>>()
  return async (thread: ThreadKey, seq: number): Promise<boolean> => {
    const name = JSON.stringify([thread.tenant, thread.conversation, thread.actor])
    let pending = looks.get(name)
    if (!pending) {
      pending = look(thread)
      looks.set(name, pending)
    }
    const line = await pending
    if (!line || seq > (line.shared.get(thread.branch) ?? 0)) return false
    const version = line.overlay?.versions.get(seq)
    return !line.overlay?.absent.has(seq) && (version === undefined || version === 'words')
  }
}

export type StillSaid = ReturnType<typeof createStillSaid>
