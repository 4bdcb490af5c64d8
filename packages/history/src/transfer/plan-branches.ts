import { groupBy } from '@throughline/core/values'
import type { NewEntry } from '@throughline/stores/store'
import { beginsTurn, type PastEnd, toPastTurn } from '../log/past-turn.ts'
import { type FilePlace, InvalidImportError } from './import-error.ts'
import { addEntry, addTurn, type ReadThread } from './read-conversation.ts'
import { type StoredTurnNode, type StoredTurns, turnKey } from './stored-turns.ts'

/** A message of another program, ready to be an entry, and the message that it follows. */
export interface TreeNode {
  readonly id: string
  readonly parent?: string | undefined
  /** Absent for a node that only joins others. */
  readonly entry?: Omit<NewEntry, 'time'> & { readonly time?: number | undefined }
  readonly place: FilePlace
}

interface PlanOptions {
  readonly actor: string
  /** The node at the end of the line that becomes `main`. */
  readonly current: string | undefined
  readonly stored: StoredTurns | undefined
  /** The time of messages that have none, and follow none that has. */
  readonly time: number
}

/** What branches repeat of each other is written again: this many entries at most. */
const mostRepeated = 100_000

/** Makes branches, which part between turns, of a tree of messages. Stored turns stay; new ones extend a branch or begin one. */
export function planBranches(
  nodes: readonly TreeNode[],
  options: PlanOptions,
): readonly ReadThread[] {
  const { actor, stored, time } = options
  const { childrenOf, roots } = growTree(nodes, options.current)
  const branches = new Map<string, Branch>()
  let repeated = -nodes.length

  const begun: Position = {
    branch: openBranch('main'),
    seq: 0,
    turn: 0,
    time,
    stored: stored?.root,
  }
  const waiting: (Link & { readonly from: Position })[] = roots
    .toReversed()
    .map(node => ({ node, from: begun, before: undefined }))
  for (let step = waiting.pop(); step; step = waiting.pop()) {
    const { node, from, before } = step
    const link: Link = { node, before }
    const children = childrenOf(node)
    const begins = (child: Grown) => beginsTurn(child.entry.role, node.entry.role)
    const isEnd = children.length === 0 || children.some(begins)
    const after = isEnd ? placeTurn(link, from) : undefined
    for (const child of children.toReversed()) {
      const next = begins(child) ? { from: after!, before: undefined } : { from, before: link }
      waiting.push({ node: child, ...next })
    }
  }
  return [...branches.values()]
    .map(({ thread }) => thread)
    .filter(({ batches }) => batches.length > 0)

  function openBranch(
    name: string,
    forkOf?: { readonly branch: string; readonly at: number },
  ): Branch {
    const opened = branches.get(name)
    if (opened) return opened
    const there = stored?.branches.get(name)
    const fork = there ? there.forkOf : forkOf
    const thread: ReadThread = { actor, branch: name, forkOf: fork, batches: [], calls: new Map() }
    const branch = { name, thread, end: there ? there.end : (fork?.at ?? 0) }
    branches.set(name, branch)
    return branch
  }

  /** Puts a turn behind another. Returns where the next one follows. */
  function placeTurn(last: Link, from: Position): Position {
    const links: Grown[] = []
    for (let link: Link | undefined = last; link; link = link.before) links.push(link.node)
    links.reverse()
    repeated += links.length
    if (repeated > mostRepeated)
      throw new InvalidImportError(last.node.place, 'its branches repeat each other too often.')
    const node = from.stored?.next.get(turnKey(links.map(({ entry }) => entry)))
    const branch = node ? openBranch(node.branch) : branchFor(from, last.node)
    return addLinks(branch, links, from, node)
  }

  /** The branch goes on if it ends here; otherwise a new one is forked. */
  function branchFor({ branch, seq }: Position, { entry }: Grown): Branch {
    if (branch.end === seq) return branch
    let name = `fork-${entry.id.slice(0, 8)}`
    while (branches.has(name) || stored?.branches.has(name)) name += '+'
    return openBranch(name, { branch: branch.name, at: seq })
  }
}

function addLinks(
  branch: Branch,
  links: readonly Grown[],
  from: Position,
  node?: StoredTurnNode,
): Position {
  let time = from.time
  const timed = links.map(({ entry }, at) => {
    time = node?.times[at] ?? entry.time ?? time
    return { ...entry, time }
  })
  const { entries, turn, end } = toPastTurn(timed, from)
  if (turn) addTurn(branch.thread, turn, links[0]!.place)
  for (const [at, entry] of entries.entries()) addEntry(branch.thread, entry, links[at]!.place)
  if (!node) branch.end = end.seq
  return { ...end, branch, time, stored: node }
}

interface Branch {
  readonly name: string
  readonly thread: ReadThread
  /** The place of its last entry; undefined while a turn is open, so that nothing can follow. */
  end: number | undefined
}

/** The end of a turn, where others may follow. */
interface Position extends PastEnd {
  readonly branch: Branch
  readonly time: number
  readonly stored: StoredTurnNode | undefined
}

type Grown = TreeNode & Required<Pick<TreeNode, 'entry'>>

interface Link {
  readonly node: Grown
  readonly before: Link | undefined
}

/** The tree of the nodes that have an entry. The child towards the current node comes first. */
function growTree(nodes: readonly TreeNode[], current: string | undefined) {
  const byId = new Map<string, TreeNode>()
  for (const node of nodes) {
    if (byId.has(node.id)) throw new InvalidImportError(node.place, 'its id came before.')
    byId.set(node.id, node)
  }
  const orphan = nodes.find(({ parent }) => parent !== undefined && !byId.has(parent))
  if (orphan) throw new InvalidImportError(orphan.place, 'its parent is not in the file.')
  const below = groupBy(nodes, ({ parent }) => parent)
  const isCurrent = pathTo(
    current === undefined || !byId.has(current) ? nodes.at(-1)?.id : current,
    byId,
  )
  const children = new Map<TreeNode | undefined, Grown[]>()
  const waiting: [TreeNode, Grown?][] = (below.get(undefined) ?? []).map(node => [node])
  // Grows while it is walked: each node comes after its parent.
  for (const [node, above] of waiting) {
    const grown = isGrown(node) ? node : undefined
    if (grown) {
      const beside = children.get(above)
      if (!beside) children.set(above, [grown])
      else if (isCurrent.has(grown.id)) beside.unshift(grown)
      else beside.push(grown)
    }
    for (const child of below.get(node.id) ?? []) waiting.push([child, grown ?? above])
  }
  if (waiting.length < nodes.length) {
    const reached = new Set(waiting.map(([node]) => node))
    const lost = nodes.find(node => !reached.has(node))!
    throw new InvalidImportError(lost.place, 'its parents go round in a circle.')
  }
  return {
    roots: children.get(undefined) ?? [],
    childrenOf: (node: Grown) => children.get(node) ?? [],
  }
}

const isGrown = (node: TreeNode): node is Grown => node.entry !== undefined

function pathTo(end: string | undefined, byId: ReadonlyMap<string, TreeNode>): ReadonlySet<string> {
  const path = new Set<string>()
  for (let id = end; id !== undefined && !path.has(id); id = byId.get(id)?.parent) path.add(id)
  return path
}
