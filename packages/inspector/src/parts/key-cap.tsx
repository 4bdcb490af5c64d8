import styles from './key-cap.module.css'
import { keyCaps } from './keys.ts'

export function KeyCap({ keys }: { readonly keys: string }) {
  return keyCaps(keys).map(cap => (
    <kbd key={cap} className={`soft label to-middle on-panel outlined round-1 ${styles.cap}`}>
      {cap}
    </kbd>
  ))
}
