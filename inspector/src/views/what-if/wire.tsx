import { useCallback } from 'react'
import { bandsOf, type Landing } from '../../parts/draw-strip.ts'
import { count } from '../../parts/format.ts'
import type { LogScale } from '../../parts/log-scale.ts'
import { LogStrip } from '../../parts/log-strip.tsx'
import type { SideContext, SideItem } from './difference.ts'
import styles from './wire.module.css'

export interface WireSide extends Pick<SideContext, 'runs'> {
  readonly items: readonly SideItem[]
  readonly landing: Landing
}

export interface WireProps {
  readonly scale: LogScale
  readonly a: WireSide
  readonly b: WireSide
  readonly selected: number | undefined
  readonly onSelect: (seq: number) => void
  /** Narrow screens have no room for ribbons. */
  readonly hasRibbons: boolean
}

/** The log between the two sides: how far each lets an entry through, with ribbons to its place in either list. */
export function Wire({ a, b, hasRibbons, ...strip }: WireProps) {
  const toShape = useCallback(
    ({ width }: { readonly width: number }) => {
      const middle = Math.round(width / 2)
      const long = hasRibbons ? Math.min(40, width / 6) : Math.max(8, width / 2 - 6)
      const sideOf = ({ runs, items, landing }: WireSide, way: -1 | 1) => ({
        ...{ runs, bands: bandsOf(items, runs), landing, start: middle + way, long, way },
        ribbon: [middle + way * (long + 4), way < 0 ? 0 : width] as const,
      })
      return {
        sides: [sideOf(a, -1), sideOf(b, 1)],
        spine: middle - 0.75,
        frame: [middle - long - 3, middle + long + 3] as const,
        touched: [middle - long - 8, middle + long + 8] as const,
      }
    },
    [a, b, hasRibbons],
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
