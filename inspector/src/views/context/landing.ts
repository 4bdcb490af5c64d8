import { type Observable, observable } from '../../api/observable.ts'

/** Where the entries of the context stand in its list now, in pixels from the top of the list. */
export type Landing = Observable<{
  readonly places: ReadonlyMap<number, readonly [top: number, bottom: number]>
  /** With what is pinned at its foot. */
  readonly height: number
  /** The part that scrolls. */
  readonly inside: number
}>

/** No rows are shown. */
export const nowhere: ReturnType<Landing['get']> = { places: new Map(), height: 0, inside: 0 }

export const newLanding = (): Landing => observable(nowhere)
