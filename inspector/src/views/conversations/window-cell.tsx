import type { Part } from '../../parts/fates.ts'
import { count } from '../../parts/format.ts'
import { WindowBar, type WindowSegment } from '../../parts/window-bar.tsx'
import styles from './conversation-table.module.css'
import type { LastWindow } from './use-window.ts'

/** How full the window was in the last call. Where nothing was sent yet, how full it would be. */
export function WindowCell({ last }: { readonly last: LastWindow }) {
  const { parts, tokens, window, reserve, margin, reused, policy, isSent } = last
  return (
    <>
      <WindowBar
        {...{ window, reserve, margin, reused, size: 'row' }}
        segments={toSegments(parts)}
        label={`${count(tokens)} of ${count(window)} tokens`}
      />
      <span className={styles.filled} aria-hidden="true">
        <b>{count(tokens)}</b> of {count(window)}
        <span className={styles.right}>{isSent ? policy : 'if sent now'}</span>
      </span>
    </>
  )
}

/** The parts in the order of a prompt. What was recalled is drawn in one piece. */
const toSegments = (parts: Readonly<Record<string, number>>): readonly WindowSegment[] =>
  order.flatMap(part => (parts[part] ? [{ part, tokens: parts[part] }] : []))

const order: readonly Part[] = [
  ...(['framing', 'tools', 'system', 'first', 'marker'] as const),
  ...(['notes', 'journal', 'digests', 'history', 'recall', 'latest'] as const),
]
