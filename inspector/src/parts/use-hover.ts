import { useSyncExternalStore } from 'react'
import { observable } from '../api/observable.ts'

/** The entry under the pointer. It is highlighted less than the selection, and nothing scrolls for it. */
export const hover = observable<number | undefined>(undefined)

/** Whether an entry is under the pointer. Only the rows for which this changes render again. */
export const useIsHovered = (seq: number | undefined): boolean =>
  useSyncExternalStore(hover.subscribe, () => seq !== undefined && hover.get() === seq)
