import { Check, Minus } from 'lucide-react'
import type { ServerInfo } from '../../api/routes.ts'
import styles from './settings-view.module.css'

type Scope = ServerInfo['scopes'][number]

const meanings: readonly { readonly scope: Scope; readonly about: string }[] = [
  { scope: 'read', about: 'see conversations as their users do, and search them' },
  { scope: 'inspect', about: 'see what no user sees: contexts, calls, notes, exports' },
  { scope: 'chat', about: 'talk, fork, give titles' },
  { scope: 'admin', about: 'delete and import, start and stop experiments, manage keys' },
  { scope: 'metrics', about: 'read how busy the server is, but no content' },
]

/** What the caller may do, and what not. */
export function MayDo({ scopes }: { readonly scopes: readonly Scope[] }) {
  return (
    <section className={styles.section} aria-labelledby="may-heading">
      <h2 id="may-heading">What you may do here</h2>
      <ul className={`grid gap-6px bright ${styles.scopes}`}>
        {meanings.map(({ scope, about }) => {
          const may = scopes.includes(scope)
          return (
            <li key={scope} data-may={may}>
              {may ? <Check size={14} aria-label="You may" /> : <Minus size={14} aria-label="You may not" />}
              <b>{scope}</b>
              <span>{about}</span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
