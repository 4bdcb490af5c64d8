import { key } from '../../api/key.ts'
import type { ServerInfo } from '../../api/routes.ts'
import { Button } from '../../parts/button.tsx'
import { KeyField, useKeyForm } from '../../parts/key-field.tsx'
import styles from './settings-view.module.css'

/** The key of this tab: given, changed, forgotten. It is never shown. */
export function KeySection({ server }: { readonly server: ServerInfo }) {
  const { field, onSubmit, take } = useKeyForm()
  const hasKey = key.use() !== undefined
  return (
    <section className={styles.section} aria-labelledby="key-heading">
      <h2 id="key-heading">Key</h2>
      <p className="soft breaks">
        {server.needsKey ? 'Every request to this server needs a key. ' : 'This server needs no key. '}
        {hasKey
          ? `This tab sends one, of the tenant “${server.tenant}”. It is forgotten when the tab is closed.`
          : !server.needsKey && 'With one, you see the conversations of its tenant.'}
      </p>
      <form className={`grid middle ${styles.key}`} onSubmit={onSubmit}>
        <KeyField label={hasKey ? 'Another key' : 'Key'} {...field} />
        <Button type="submit">Use it</Button>
        {hasKey && <Button onClick={() => take(undefined)}>Forget the key</Button>}
      </form>
    </section>
  )
}
