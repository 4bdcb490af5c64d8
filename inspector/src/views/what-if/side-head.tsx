import { calibrationText } from '../../parts/calibration.ts'
import { ChoiceMenu } from '../../parts/choice-menu.tsx'
import { Explained } from '../../parts/explained.tsx'
import { count, percent } from '../../parts/format.ts'
import { Notice } from '../../parts/notice.tsx'
import { aboutPolicy, allPolicies } from '../../parts/policies.ts'
import { toSegments } from '../../parts/sent-rows.ts'
import { Skeleton } from '../../parts/skeleton.tsx'
import { WindowBar } from '../../parts/window-bar.tsx'
import { MoreSettings } from './more-settings.tsx'
import { NumberSetting, reserveStops, windowStops } from './number-setting.tsx'
import { mostTokens, policyName, type Side, withPolicy } from './side.ts'
import styles from './side-head.module.css'
import type { MadeSide } from './use-side.ts'

export interface SideHeadProps {
  readonly side: MadeSide
  /** `isFirst`: what is changed next belongs to the same step of the browser's history. */
  readonly onChange: (side: Side, isFirst: boolean) => void
}

/** How a side is made, and what comes of it: its settings, its window, what is reused. */
export function SideHead({ side: made, onChange }: SideHeadProps) {
  const { letter, side, answer, error, isStale } = made
  const window = side.window ?? answer?.window
  const reserve = side.reserve ?? answer?.reserve
  const name = policyName(side) ?? answer?.policy ?? ''
  const chosen = side.effort === undefined ? (side.policy ?? answer?.policy ?? '') : ''
  const choices = [...new Set([...allPolicies, ...(chosen === '' ? [] : [chosen])])]
  return (
    <section className={`grid slim from-top ${styles.side}`} aria-label={letter} data-letter={letter}>
      <div className={`row gap-6px slim ${styles.settings}`}>
        <b className={styles.letter} data-letter={letter}>
          {letter}
        </b>
        <ChoiceMenu
          text={name}
          value={chosen}
          choices={choices.map(value => ({
            value,
            label: value.replace('-', ' '),
            more: aboutPolicy(value),
          }))}
          onChoose={policy => onChange(withPolicy(side, policy), true)}
        />
        {window !== undefined && (
          <NumberSetting
            name="window"
            letter={letter}
            value={window}
            presets={[2048, 4096, 8192, 16_384, 32_768, 131_072]}
            stops={windowStops}
            least={1}
            most={mostTokens}
            onChange={(window, isFirst) => onChange({ ...side, window }, isFirst)}
          />
        )}
        {window !== undefined && reserve !== undefined && (
          <NumberSetting
            name="reserve"
            letter={letter}
            value={reserve}
            presets={[0, 256, 512, 1024, 2048].filter(one => one < window)}
            stops={reserveStops(window)}
            least={0}
            most={Math.max(0, window - 1)}
            onChange={(reserve, isFirst) => onChange({ ...side, reserve }, isFirst)}
          />
        )}
        <MoreSettings letter={letter} side={side} onChange={onChange} />
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
          <p className={`flex between gap-3 soft label one-line bright ${styles.figures}`}>
            <Explained
              className={styles.reused}
              by="If the call before had been made in the same way. What the model server could reuse of the stored call stands in Context."
            >
              {answer.prefix ? `${percent(answer.prefix.share)} would be reused` : 'nothing to reuse'}
            </Explained>
            {answer.over > 0 ? (
              <span className={styles.over}>
                <b>{count(answer.over)}</b> over: what is protected does not fit
              </span>
            ) : (
              <Explained by={calibrationText(answer.factor)}>
                <b>{count(answer.tokens)}</b> of {count(answer.window)} tokens
              </Explained>
            )}
          </p>
        </div>
      )}
    </section>
  )
}
