import { queryClient, type ServerInfo, takeKey, takeTenant } from '../api/client.ts'
import field from './field.module.css'

/** Takes another key, with which everything is read again. */
export function changeKey(key: string | undefined): void {
  takeKey(key)
  void queryClient.resetQueries()
}

export const takeTyped = (form: FormData) => changeKey(String(form.get('key')).trim())

/** Where a key is typed. It is never shown, and the browser does not keep it. */
export const KeyField = ({ label }: { readonly label: string }) => (
  <>
    <label className="muted caption" htmlFor="key">
      {label}
    </label>
    <input
      id="key"
      name="key"
      className={field.input}
      type="password"
      autoComplete="off"
      spellCheck={false}
      required
    />
  </>
)

/** The tenant whose conversations this tab shows; a choice where the key may see several. */
export function TenantChoice({ server: { tenant, tenants } }: { readonly server: ServerInfo }) {
  if (tenants.length < 2) return tenant
  const choose = (event: React.ChangeEvent<HTMLSelectElement>) => {
    takeTenant(event.target.value)
    void queryClient.resetQueries()
  }
  return (
    <select className={field.input} aria-label="Tenant" value={tenant} onChange={choose}>
      {tenants.map(name => (
        <option key={name}>{name}</option>
      ))}
    </select>
  )
}
