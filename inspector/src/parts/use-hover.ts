import { createContext, useContext, useState, useSyncExternalStore } from 'react'
import { type Observable, observable } from '../api/observable.ts'

/** The entry under the pointer. It is highlighted less than the selection, and nothing scrolls for it. */
export type Hover = Observable<number | undefined>

const HoverContext = createContext<Hover | undefined>(undefined)

export const HoverProvider = HoverContext.Provider

export const useNewHover = (): Hover => useState(() => observable<number | undefined>(undefined))[0]

export const useHover = (): Hover => useContext(HoverContext)!

/** Whether an entry is under the pointer. Only the rows for which this changes render again. */
export function useIsHovered(seq: number | undefined): boolean {
  const hover = useHover()
  return useSyncExternalStore(hover.subscribe, () => seq !== undefined && hover.get() === seq)
}
