import { observable } from './observable.ts'

const place = 'throughline.key'

/** The key that requests carry. It is kept for this tab only, and never stands in an address. */
export const key = observable<string | undefined>(sessionStorage.getItem(place) ?? undefined)

const tenantPlace = 'throughline.tenant'

/** The tenant that this tab looks at. Undefined: that of the key. */
export const tenant = observable<string | undefined>(sessionStorage.getItem(tenantPlace) ?? undefined)

export function takeTenant(name: string | undefined): void {
  if (name === undefined) sessionStorage.removeItem(tenantPlace)
  else sessionStorage.setItem(tenantPlace, name)
  tenant.set(name)
}

/** Why a key is asked for: there is none, or the server does not take it. Undefined while none is asked for. */
export const keyAsked = observable<'missing' | 'refused' | undefined>(undefined)

export function takeKey(given: string | undefined): void {
  if (given === undefined) sessionStorage.removeItem(place)
  else sessionStorage.setItem(place, given)
  key.set(given)
  takeTenant(undefined)
  keyAsked.set(undefined)
}
