import { KeyRound } from 'lucide-react'
import { Button } from '../parts/button.tsx'
import { KeyField, useKeyForm } from '../parts/key-field.tsx'
import styles from './key-form.module.css'

/** Asks for a key. It is kept for this tab only. */
export function KeyForm({ why }: { readonly why: 'missing' | 'refused' }) {
  const { field, onSubmit } = useKeyForm()
  return (
    <main id="view" tabIndex={-1} className={`centred scrolls ${styles.place}`}>
      <form className={`grid gap-2 on-panel framed round-3 ${styles.form}`} onSubmit={onSubmit}>
        <KeyRound size={20} aria-hidden />
        <h1>This server needs a key</h1>
        {why === 'refused' && <p role="alert">This key is not known here: it is wrong, or was revoked.</p>}
        <KeyField label="Key" {...field} />
        <p className={styles.more}>
          It needs the scopes <b>read</b> and <b>inspect</b>; to talk, also <b>chat</b>. It is kept until this
          tab is closed.
        </p>
        <Button kind="primary" type="submit">
          Open
        </Button>
      </form>
    </main>
  )
}
