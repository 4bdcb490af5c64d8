import { useCallback } from 'react'
import { bandsOf } from '../../parts/draw-strip.ts'
import { count } from '../../parts/format.ts'
import type { LogScale } from '../../parts/log-scale.ts'
import { LogStrip } from '../../parts/log-strip.tsx'
import type { SideItem } from './difference.ts'
import type { MadeSide } from './use-side.ts'
import styles from './wire.module.css'

export interface WireProps {
  readonly scale: LogScale
  readonly a: MadeSide
  readonly b: MadeSide
  readonly aItems: readonly SideItem[]
  readonly bItems: readonly SideItem[]
  readonly selected: number | undefined
  readonly onSelect: (seq: number) => void
  /** Narrow screens have no room for ribbons. */
  readonly hasRibbons: boolean
}

/** The log between the two sides: how far each lets an entry through, with ribbons to its place in either list. */
export function Wire({ a, b, aItems, bItems, hasRibbons, ...strip }: WireProps) {
  const [aRuns, bRuns] = [a.context.runs, b.context.runs]
  const toShape = useCallback(
    ({ width }: { readonly width: number }) => {
      const middle = Math.round(width / 2)
      const long = hasRibbons ? Math.min(40, width / 6) : Math.max(8, width / 2 - 6)
      const placeOf = (way: -1 | 1) => ({
        ...{ start: middle + way, long, way },
        ribbon: [middle + way * (long + 4), way < 0 ? 0 : width] as const,
      })
      return {
        sides: [
          { ...placeOf(-1), runs: aRuns, bands: bandsOf(aItems, aRuns), landing: a.landing },
          { ...placeOf(1), runs: bRuns, bands: bandsOf(bItems, bRuns), landing: b.landing },
        ],
        spine: middle - 0.75,
        frame: [middle - long - 3, middle + long + 3] as const,
        touched: [middle - long - 8, middle + long + 8] as const,
      }
    },
    [aRuns, bRuns, aItems, bItems, a.landing, b.landing, hasRibbons],
  )
  return (
    <LogStrip
      {...strip}
      className={`slim ${styles.wire}`}
      label={`The log as a strip of ${count(strip.scale.entries.length)} entries: at the left what A does with each, at the right B`}
      isLined
      {...{ toShape, hasRibbons }}
    />
  )
}
