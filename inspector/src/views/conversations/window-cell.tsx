import { calibrationText } from '../../parts/calibration.ts'
import { count } from '../../parts/format.ts'
import { toPartSegments } from '../../parts/sent-rows.ts'
import { WindowBar } from '../../parts/window-bar.tsx'
import styles from './conversation-table.module.css'
import type { LastWindow } from './use-window.ts'

/** How full the window was in the last call. Where nothing was sent yet, how full it would be. */
export function WindowCell({ last }: { readonly last: LastWindow }) {
  const { parts, tokens, window, reserve, margin, reused, policy, isSent } = last
  return (
    <>
      <WindowBar
        {...{ window, reserve, margin, reused, size: 'row' }}
        segments={toPartSegments(parts)}
        label={`${count(tokens)} of ${count(window)} tokens`}
      />
      <span className={styles.filled} aria-hidden="true" title={calibrationText(last.factor)}>
        <b className="soft medium">{count(tokens)}</b> of {count(window)} tokens
        <span className="cut pushed">{isSent ? policy : 'if sent now'}</span>
      </span>
    </>
  )
}
