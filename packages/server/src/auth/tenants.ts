import { ThroughlineError } from '@throughline/core/errors'
import { attempt } from '@throughline/core/values'
import type { Store } from '@throughline/stores/store'
import { type Caller, defaultTenant } from './caller.ts'
import type { Keys } from './create-keys.ts'

/** The tenants that have conversations, by name; without those of the server itself, which keep its keys and secrets. */
export const listTenants = async (store: Pick<Store, 'tenants'>): Promise<readonly string[]> =>
  (await store.tenants()).filter(tenant => !isInner(tenant))

const isInner = (tenant: string) => tenant.startsWith('~')

/** The header by which a caller chooses a tenant, in the way of an address: `caf%C3%A9`. */
export const tenantHeader = 'x-throughline-tenant'

/**
 * The caller as one of the tenant that the request chooses. The operator may choose any. Where no key is needed, those without a
 * key may choose any that never had one: its conversations were written beside this server, by an application say.
 */
export async function chooseTenant(
  caller: Caller,
  header: string | undefined,
  keys: Pick<Keys, 'tenants'>,
) {
  const tenant =
    header === undefined ? caller.tenant : attempt(() => decodeURIComponent(header), header)
  if (tenant === caller.tenant) return caller
  if (tenant === '' || isInner(tenant) || !(await mayChoose(caller, keys))(tenant))
    throw new ThroughlineError(
      'no_scope',
      `This request may not choose the tenant of its header ${tenantHeader}.`,
    )
  return { ...caller, tenant }
}

export async function tenantsFor(
  caller: Caller,
  store: Pick<Store, 'tenants'>,
  keys: Pick<Keys, 'tenants'>,
) {
  const isAllowed = await mayChoose(caller, keys)
  // Their own tenant is there to go back to, also while it is empty.
  const all = [defaultTenant, ...(await listTenants(store))].filter(isAllowed)
  return [...new Set([...all, caller.tenant])]
}

async function mayChoose({ keyId, isOperator }: Caller, keys: Pick<Keys, 'tenants'>) {
  if (isOperator) return () => true
  if (keyId !== '') return () => false
  const guarded = new Set(await keys.tenants())
  return (tenant: string) => !guarded.has(tenant)
}
