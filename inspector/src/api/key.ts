import { observable } from './observable.ts'

const place = 'throughline.key'

/** The key that requests carry. It is kept for this tab only, and never stands in an address. */
export const key = observable<string | undefined>(sessionStorage.getItem(place) ?? undefined)

/** Why a key is asked for: undefined while none is. */
export const keyAsked = observable<string | undefined>(undefined)

export function takeKey(given: string | undefined): void {
  if (given === undefined) sessionStorage.removeItem(place)
  else sessionStorage.setItem(place, given)
  key.set(given)
  keyAsked.set(undefined)
}
