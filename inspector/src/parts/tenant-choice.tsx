import { useQueryClient } from '@tanstack/react-query'
import { takeTenant } from '../api/key.ts'
import type { ServerInfo } from '../api/routes.ts'
import field from './field.module.css'

/** The tenant whose conversations this tab shows; a choice where the key may see several. */
export function TenantChoice({ server: { tenant, tenants } }: { readonly server: ServerInfo }) {
  const client = useQueryClient()
  if (tenants.length < 2) return tenant
  const choose = (name: string) => {
    takeTenant(name)
    void client.resetQueries()
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
