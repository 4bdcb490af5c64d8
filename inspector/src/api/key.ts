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
/** The tenant that this tab shows; undefined for the tenant of the key. */
const [tenant, takeTenant] = tabValue('throughline.tenant')

/** The key that requests carry, and the tenant. */
export { key, takeTenant, tenant }

/** Why the page asks for a key: there is none, or the server refused it. Undefined while it does not ask. */
export const keyProblem = observable<'missing' | 'refused' | undefined>(undefined)

export function takeKey(next: string | undefined): void {
  keepKey(next)
  takeTenant(undefined)
  keyProblem.set(undefined)
}
