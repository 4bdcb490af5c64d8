import { takeTenant } from '../api/key.ts'
import { queryClient } from '../api/query-client.ts'
import type { ServerInfo } from '../api/routes.ts'
import field from './field.module.css'

/** The tenant whose conversations this tab shows; a choice where the key may see several. */
export function TenantChoice({ server: { tenant, tenants } }: { readonly server: ServerInfo }) {
  if (tenants.length < 2) return tenant
  const choose = (name: string) => {
    takeTenant(name)
    void queryClient.resetQueries()
  }
  return (
    <select
      className={field.input}
      aria-label="Tenant"
      value={tenant}
      onChange={event => choose(event.target.value)}
    >
      {tenants.map(name => (
        <option key={name}>{name}</option>
      ))}
    </select>
  )
}
