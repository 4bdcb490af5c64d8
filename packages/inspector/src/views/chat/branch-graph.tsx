import { Menu } from '@base-ui/react/menu'
import { Link } from '@tanstack/react-router'
import {
  ChevronLeft,
  ChevronRight,
  Columns2,
  GitBranchPlus,
  MessageSquarePlus,
  Plus,
} from 'lucide-react'
import { useRef } from 'react'
import { usualBranch } from '../../api/queries.ts'
import type { ConversationSearch } from '../../parts/address.ts'
import { unless } from '../../parts/button.tsx'
import { ago, amountOf, branchTitle, type ListedThread } from '../../parts/format.ts'
import { MenuItem, MenuPopup } from '../../parts/menu-popup.tsx'
import styles from './branch-graph.module.css'
import { type BranchNode, toBranchTree, type Versions } from './branch-tree.ts'

interface BranchGraphProps {
  readonly conversation: string
  /** Without a moment. */
  readonly search: ConversationSearch
  readonly branches: readonly ListedThread[]
  readonly current: string
  /** The branch that the current one is compared with. */
  readonly beside: string | undefined
  readonly mayChat: boolean
  readonly onFork: () => void
  readonly onNew: () => void
  readonly onCompare: (branch: string | undefined) => void
}

/** The branches of a thread as a tree. One tab stop; arrows go from branch to branch, the space bar compares. */
export function BranchGraph(props: BranchGraphProps) {
  const { branches, current, mayChat, onFork, onNew } = props
  const list = useRef<HTMLUListElement>(null)
  const nodes = toBranchTree(branches)
  const stop = branches.find(one => one.branch === current) ?? nodes[0]?.branch
  const clientLine = lineOfClient(branches)
  const move = (event: React.KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    const links = [...(list.current?.querySelectorAll('a') ?? [])]
    event.preventDefault()
    links[links.indexOf(document.activeElement as HTMLAnchorElement) + step]?.focus()
  }
  return (
    <aside className={`grid low on-canvas line-right ${styles.branches}`} aria-label="Branches">
      <div className={`row between row-high ${styles.head}`}>
        <h2 className="small-heading">Branches</h2>
        {mayChat && (
          <Menu.Root>
            <Menu.Trigger className="icon" aria-label="New branch or conversation">
              <Plus size={16} aria-hidden />
            </Menu.Trigger>
            <MenuPopup align="end">
              {branches.length > 0 && (
                <MenuItem label="New branch from here" icon={GitBranchPlus} onClick={onFork} />
              )}
              <MenuItem label="New conversation" icon={MessageSquarePlus} onClick={onNew} />
            </MenuPopup>
          </Menu.Root>
        )}
      </div>
      <ul ref={list} className="low scrolls-down thin-bar" onKeyDown={move}>
        {nodes.map((node, at) => (
          <BranchItem
            key={node.branch.branch}
            {...{ ...props, node, clientLine }}
            hasChildren={(nodes[at + 1]?.depth ?? 0) > node.depth}
            isStop={node.branch.branch === stop?.branch}
          />
        ))}
      </ul>
    </aside>
  )
}

interface BranchItemProps extends BranchGraphProps {
  readonly node: BranchNode<ListedThread>
  readonly clientLine: string | undefined
  readonly hasChildren: boolean
  readonly isStop: boolean
}

function BranchItem(props: BranchItemProps) {
  const { conversation, search, node, clientLine, current, beside, isStop, onCompare } = props
  const { branch, depth } = node
  const isCurrent = branch.branch === current
  const isBeside = branch.branch === beside
  const title = branchTitle(branch)
  const compare = () => onCompare(isBeside ? undefined : branch.branch)
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key !== ' ' || isCurrent) return
    event.preventDefault()
    compare()
  }
  return (
    <li className="relative">
      <Link
        to="/c/$conversation/chat"
        params={{ conversation }}
        search={{
          ...search,
          beside: undefined,
          branch: branch.branch === usualBranch ? undefined : branch.branch,
        }}
        className="relative block hovers inset"
        activeOptions={{ exact: true }}
        aria-current={isCurrent ? 'true' : undefined}
        data-current={isCurrent}
        tabIndex={isStop ? 0 : -1}
        title={branch.begins?.text ?? branch.branch}
        onKeyDown={onKeyDown}
      >
        <Lines {...props} />
        <span
          className="grid slim relative"
          style={{ paddingLeft: 34 + 14 * Math.max(0, shown(depth) - 1) }}
        >
          <span className={`cut medium ${styles.name}`} dir="auto">
            {title}
          </span>
          <span className="cut muted text-11">{aboutOf(branch, clientLine)}</span>
        </span>
      </Link>
      {isCurrent
        ? beside !== undefined && (
            <span className={styles.mark} data-letter="A" aria-hidden>
              A
            </span>
          )
        : node.branch.head > 0 && (
            <button
              type="button"
              className={styles.mark}
              data-letter={isBeside ? 'B' : undefined}
              aria-label={`Compare with ${title}`}
              aria-pressed={isBeside}
              tabIndex={-1}
              onClick={compare}
            >
              {isBeside ? 'B' : <Columns2 size={12} aria-hidden />}
            </button>
          )}
    </li>
  )
}

/** Deeper branches stand below each other. */
const deepest = 5
const shown = (depth: number) => Math.min(depth, deepest)
const across = (depth: number) => 8 + 14 * shown(depth)
const [height, middle] = [50, 16]

function Lines({ node: { branch, depth, lines, hasNext }, hasChildren, current }: BranchItemProps) {
  const nodeX = across(depth)
  const from = across(depth - 1)
  return (
    <svg className={styles.lines} width={across(deepest) + 8} height={height} aria-hidden="true">
      {lines.map((goesOn, at) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: a line stands for its depth
        goesOn && at < depth - 1 ? <path key={at} d={`M${across(at)} 0V${height}`} /> : null,
      )}
      {depth > 0 && (
        <path
          d={`M${from} 0${hasNext ? `V${height}M${from} 0` : ''}V4C${from} ${middle} ${from + 6} ${middle} ${nodeX - 2} ${middle}`}
        />
      )}
      {hasChildren && <path d={`M${nodeX} ${middle}V${height}`} />}
      <circle cx={nodeX} cy={middle} r={4} data-current={branch.branch === current} />
    </svg>
  )
}

/** The branch on which the next request of a client goes on; undefined where no client writes, or there is no other. */
function lineOfClient(branches: readonly ListedThread[]): string | undefined {
  if (branches.length < 2) return undefined
  const lines = branches.filter(one => one.isOfClient).toSorted((a, b) => b.updatedAt - a.updatedAt)
  return lines[0]?.branch
}

/** Who goes on in a branch, or what it begins with, and when that was. */
function aboutOf(one: ListedThread, clientLine: string | undefined): string {
  const { branch, forkOf, begins, turns, updatedAt, status, isOfClient } = one
  const state = status.state === 'open' ? 'being answered' : ago(updatedAt)
  if (branch === clientLine) return `the client goes on here · ${state}`
  if (!forkOf) return `${amountOf(turns, 'turn')} · ${state}`
  const who = isOfClient ? 'by the client' : 'by you'
  if (!begins) return `${who}, after #${forkOf.at} · ${state}`
  if (begins.how === 'again') return `${who} · ${state}`
  return `${who} · ${state} · “${begins.text}”`
}

interface VersionSwitchProps {
  readonly versions: Versions
  readonly onOpen: (branch: string) => void
  readonly onCompare: (branch: string) => void
}

/** Goes from one way in which the conversation goes on here to the next: ‹ 2 / 3 ›. */
export function VersionSwitch({
  versions: { versions, current },
  onOpen,
  onCompare,
}: VersionSwitchProps) {
  const other = versions[current - 1] ?? versions[current + 1]
  const step = (by: 1 | -1, label: string, end: string) => {
    const next = versions[current + by]
    const Icon = by < 0 ? ChevronLeft : ChevronRight
    return (
      <button
        type="button"
        aria-label={label}
        {...unless(next ? undefined : end, () => onOpen(next!.open))}
      >
        <Icon size={14} aria-hidden />
      </button>
    )
  }
  return (
    <span
      className="inline gap-2px rigid soft chip-text icons"
      role="group"
      aria-label={`Version ${current + 1} of ${versions.length}`}
    >
      {step(-1, 'Version before', 'This is the first version.')}
      <span>
        {current + 1} / {versions.length}
      </span>
      {step(1, 'Version after', 'This is the last version.')}
      {other && (
        <button
          type="button"
          aria-label="Compare these versions"
          onClick={() => onCompare(other.open)}
        >
          <Columns2 size={14} aria-hidden />
        </button>
      )}
    </span>
  )
}
