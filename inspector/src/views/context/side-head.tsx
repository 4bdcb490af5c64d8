import { calibrationText } from '../../parts/calibration.ts'
import { ChoiceMenu } from '../../parts/choice-menu.tsx'
import { Explained } from '../../parts/explained.tsx'
import { amountOf, count, percent, short } from '../../parts/format.ts'
import { Notice } from '../../parts/notice.tsx'
import { aboutPolicy, allPolicies } from '../../parts/policies.ts'
import { toSegments } from '../../parts/sent-rows.ts'
import { Skeleton } from '../../parts/skeleton.tsx'
import { WindowBar } from '../../parts/window-bar.tsx'
import { MoreSettings, NumberField } from './more-settings.tsx'
import { type MadeSide, mostTokens, type Side, withPolicy } from './side.ts'
import styles from './side-head.module.css'

export interface SideHeadProps {
  readonly side: MadeSide
  /** `in all 252 calls`: what the cost of the side is summed over. */
  readonly costSpan: string
  /** `isStep`: whether the button "back" leads to what was before. */
  readonly onChange: (side: Side, isStep: boolean) => void
}

/** How a side is made, and what comes of it: its settings, its window, its figures. */
export function SideHead({ side: made, costSpan, onChange }: SideHeadProps) {
  const { letter, side, answer, error, isStale, cost } = made
  const window = side.window ?? answer?.window
  const policy = side.policy ?? answer?.policy ?? ''
  const chosen = side.effort === undefined ? policy : ''
  const choices = [...new Set([...allPolicies, ...(chosen === '' ? [] : [chosen])])]
  return (
    <section className={`grid slim from-top gap-2 ${styles.side}`} aria-label={letter}>
      <div className="row wraps gap-6px slim">
        <b className={styles.letter} data-letter={letter}>
          {letter}
        </b>
        <ChoiceMenu
          text={side.effort === undefined ? policy.replace('-', ' ') : `effort ${side.effort} %`}
          value={chosen}
          choices={choices.map(value => ({
            value,
            label: value.replace('-', ' '),
            more: aboutPolicy(value),
          }))}
          onChoose={policy => onChange(withPolicy(side, policy), true)}
        />
        {window !== undefined && (
          <NumberField
            name="window"
            label={`Window of ${letter}`}
            value={window}
            least={1}
            most={mostTokens}
            onChange={window => onChange({ ...side, window }, true)}
          />
        )}
        <MoreSettings {...{ letter, side, onChange }} reserve={answer?.reserve} window={window} />
      </div>
      {error ? (
        <Notice kind="danger">{error.message}</Notice>
      ) : answer === undefined ? (
        <Skeleton rows={2} label={`Making ${letter}`} />
      ) : (
        <div className={styles.window} data-stale={isStale} aria-busy={isStale}>
          <WindowBar
            size="row"
            segments={toSegments(answer.sent, answer)}
            window={answer.window}
            reserve={answer.reserve}
            margin={answer.margin}
            reused={answer.prefix?.tokens}
            label={`The window of ${letter}: ${count(answer.tokens)} of ${count(answer.window)} tokens are sent, ${count(answer.free)} are free`}
          />
          <p className={`flex wraps soft label bright ${styles.figures}`}>
            <span>
              <b>{count(answer.at - answer.counts.omitted)}</b> messages
            </span>
            {answer.over > 0 ? (
              <span className="danger">
                {count(answer.over)} over: the part that is always sent does not fit
              </span>
            ) : (
              <Explained by={calibrationText(answer.factor)}>
                <b>{count(answer.tokens)}</b> of {count(answer.window)} tokens
              </Explained>
            )}
            <Explained
              by={`${answer.prefix ? `${percent(answer.prefix.share)} would be a cached prefix` : 'Nothing would be cached'}, if the call before had been made in the same way.`}
            >
              <b>{count(answer.tokens - (answer.prefix?.tokens ?? 0))}</b> new
            </Explained>
            <span title="New tokens, added up">
              <b>{cost === undefined ? '…' : short(cost)}</b> {costSpan}
            </span>
          </p>
        </div>
      )}
    </section>
  )
}

export const costSpanOf = (calls: number, isAll: boolean): string =>
  `new in ${isAll ? 'all' : 'the last'} ${amountOf(calls, 'call')}`
