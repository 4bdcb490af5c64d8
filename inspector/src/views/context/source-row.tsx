import { Link } from '@tanstack/react-router'
import { dateOf } from '../../parts/format.ts'
import { placeOfHit } from '../../parts/hit-place.ts'
import type { Source } from '../../parts/sent-rows.ts'
import styles from './context-list.module.css'
import type { ContextItem } from './scene.ts'

interface SourceRowProps {
  readonly item: Extract<ContextItem, { kind: 'line' | 'source' }>
  readonly style: React.CSSProperties | undefined
}

/** A line of a block from other conversations: of its text, or where a message of it comes from. */
export function SourceRow({ item, style }: SourceRowProps) {
  return (
    <div
      className={styles.row}
      role="treeitem"
      aria-selected={false}
      tabIndex={-1}
      data-kind={item.kind}
      data-reused={item.isReused}
      data-first={item.kind === 'source' && item.isFirst}
      style={style}
    >
      {item.kind === 'line' ? <span className={styles.text}>{item.text}</span> : <From {...item.source} />}
    </div>
  )
}

function From({ conversation, title, actor, branch, seq, time, why, isGone }: Source) {
  const name = `${title?.trim() || conversation} #${seq}`
  return (
    <>
      <span className={styles.day}>{time === undefined ? 'deleted since' : dateOf(time)}</span>
      <span className={styles.text}>
        {isGone ? (
          name
        ) : (
          <Link
            to="/c/$conversation/context"
            params={{ conversation }}
            search={placeOfHit({ actor, branch, seq })}
          >
            {name}
          </Link>
        )}
        <span className="muted"> · {why}</span>
      </span>
    </>
  )
}
