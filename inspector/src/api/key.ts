import { observable } from './observable.ts'

/** A value that is kept for this tab only, and never stands in an address. */
function tabValue(place: string) {
  const value = observable<string | undefined>(sessionStorage.getItem(place) ?? undefined)
  const take = (next: string | undefined) => {
    if (next === undefined) sessionStorage.removeItem(place)
    else sessionStorage.setItem(place, next)
    value.set(next)
  }
  return [value, take] as const
}

const [key, keepKey] = tabValue('throughline.key')
/** The tenant that this tab looks at. Undefined: that of the key. */
const [tenant, takeTenant] = tabValue('throughline.tenant')

/** The key that requests carry, and the tenant. */
export { key, takeTenant, tenant }

/** Why a key is asked for: there is none, or the server does not take it. Undefined while none is asked for. */
export const keyProblem = observable<'missing' | 'refused' | undefined>(undefined)

export function takeKey(next: string | undefined): void {
  keepKey(next)
  takeTenant(undefined)
  keyProblem.set(undefined)
}
