import { Search } from 'lucide-react'
import { KeyCap } from './key-cap.tsx'
import styles from './search-field.module.css'

export interface SearchFieldProps extends React.ComponentProps<'input'> {
  readonly 'aria-label': string
}

/** A field that is searched with: a lens before it, the key that leads to it behind it. `className` is that of the frame. */
export function SearchField({ className = '', ...input }: SearchFieldProps) {
  return (
    <div className={`${styles.field} ${className}`}>
      <Search size={16} aria-hidden />
      <input {...input} type="search" maxLength={1000} spellCheck={false} autoComplete="off" />
      <span className="flex wide-only">
        <KeyCap keys="/" />
      </span>
    </div>
  )
}
