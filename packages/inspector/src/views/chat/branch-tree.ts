import { groupBy } from '@throughline/core/values'
import type { ListedThread } from '../../parts/format.ts'

export type AnyBranch = Pick<ListedThread, 'branch' | 'head' | 'updatedAt' | 'forkOf'> & {
  /** The first message that is not in its parent. */
  readonly begins?: Pick<NonNullable<ListedThread['begins']>, 'time'> | undefined
}

export interface BranchNode<One extends AnyBranch> {
  readonly branch: One
  readonly depth: number
  /** For each depth above this branch: whether the line there goes on to a later branch. */
  readonly lines: readonly boolean[]
  readonly hasNext: boolean
}

/** The branches of an actor as a tree: a branch, then those that were forked from it, the newest first. */
export function toBranchTree<One extends AnyBranch>(
  branches: readonly One[],
): readonly BranchNode<One>[] {
  const names = new Set(branches.map(({ branch }) => branch))
  const children = groupBy(branches.toSorted(newestFirst), ({ forkOf }) =>
    forkOf && names.has(forkOf.branch) ? forkOf.branch : undefined,
  )
  const nodes: BranchNode<One>[] = []
  const seen = new Set<string>()
  // A stack instead of recursion: branches can be forked from branches without end.
  const waiting: BranchNode<One>[] = []
  const add = (lines: readonly boolean[], parent?: One) => {
    const forks = children.get(parent?.branch) ?? []
    for (const [at, branch] of [...forks.entries()].reverse())
      waiting.push({ branch, depth: lines.length, lines, hasNext: at < forks.length - 1 })
  }
  add([])
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const { branch, depth, lines, hasNext } = node
    if (seen.has(branch.branch)) continue
    seen.add(branch.branch)
    nodes.push(node)
    add([...lines, depth > 0 && hasNext], branch)
  }
  return nodes
}

const newestFirst = (a: AnyBranch, b: AnyBranch) =>
  madeAt(b) - madeAt(a) || (a.branch < b.branch ? -1 : 1)

/** An empty branch is the newest. */
const madeAt = ({ begins }: AnyBranch) => begins?.time ?? Number.MAX_SAFE_INTEGER

/** The ways in which a conversation goes on from a place. */
export interface Versions {
  /** `own`: the branch that was made for it, which never changes. `open`: the one of this way that was last written to. */
  readonly versions: readonly { readonly own: string; readonly open: string }[]
  /** The place of the branch that is shown among them. */
  readonly current: number
}

/** The ways in which a branch's conversation goes on, in the order in which they were made, by the first entry after the fork. */
export function versionsOf(
  branches: readonly AnyBranch[],
  shown: string,
): ReadonlyMap<number, Versions> {
  const byName = new Map(branches.map(one => [one.branch, one]))
  const shownPath = pathOf(byName, shown)
  const versionsAt = new Map<number, Versions>()
  /** Where each other branch leaves the path of the shown one, and in which branch it then goes on. */
  const leaving = new Map<number, Map<string, AnyBranch>>()
  for (const one of branches) {
    const { at, branch: into } = parting(shownPath, pathOf(byName, one.branch))
    if (into === undefined || one.head <= at) continue
    const ways = leaving.get(at) ?? new Map<string, AnyBranch>()
    leaving.set(at, ways)
    const latest = ways.get(into)
    if (!latest || latest.updatedAt < one.updatedAt) ways.set(into, one)
  }
  for (const [at, ways] of leaving) {
    const mine = shownPath.find(({ upTo }) => at < upTo)?.branch
    if (mine === undefined) continue
    const versions = [
      { own: mine, open: shown },
      ...[...ways].map(([own, { branch: open }]) => ({ own, open })),
    ]
    versions.sort(
      (a, b) =>
        order(byName.get(a.own), at) - order(byName.get(b.own), at) || (a.own < b.own ? -1 : 1),
    )
    versionsAt.set(at + 1, { versions, current: versions.findIndex(({ own }) => own === mine) })
  }
  return versionsAt
}

/** The last entry that two branches share. */
export function sharedHead(branches: readonly AnyBranch[], one: string, other: string): number {
  const byName = new Map(branches.map(branch => [branch.branch, branch]))
  return parting(pathOf(byName, one), pathOf(byName, other)).at
}

/** Stretches of a branch by the branch that holds them: `upTo` is the last entry. */
type Path = readonly { readonly branch: string; readonly upTo: number }[]

function pathOf(byName: ReadonlyMap<string, AnyBranch>, name: string): Path {
  const path: { branch: string; upTo: number }[] = []
  const seen = new Set<string>()
  let upTo = Number.POSITIVE_INFINITY
  for (
    let next = byName.get(name);
    next && !seen.has(next.branch);
    next = byName.get(next.forkOf?.branch ?? '')
  ) {
    seen.add(next.branch)
    path.unshift({ branch: next.branch, upTo: Math.min(upTo, next.head) })
    upTo = Math.min(upTo, next.forkOf?.at ?? 0)
  }
  // A branch that was left before its own first entry holds nothing of the path.
  return path.filter(({ upTo }, index) => upTo > (path[index - 1]?.upTo ?? 0))
}

/** Where another branch leaves a path, and the branch in which it goes on there; undefined where it does not leave it. */
function parting(path: Path, other: Path): { readonly at: number; readonly branch?: string } {
  let at = 0
  for (const [index, step] of other.entries()) {
    const mine = path[index]
    if (mine?.branch !== step.branch) return { at, branch: step.branch }
    at = Math.min(mine.upTo, step.upTo)
    // The second path stays on this branch longer than the first.
    if (step.upTo > mine.upTo) return { at, branch: step.branch }
    if (mine.upTo > step.upTo && index === other.length - 1) return { at }
  }
  return { at }
}

/** A branch that goes on past a place without a fork there sorts first. */
const order = (branch: AnyBranch | undefined, at: number) =>
  branch?.forkOf?.at === at ? madeAt(branch) : 0
