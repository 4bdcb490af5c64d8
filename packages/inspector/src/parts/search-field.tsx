import { Search } from 'lucide-react'
import { useRef } from 'react'
import { KeyCap } from './key-cap.tsx'
import { useKeys } from './keys.ts'
import styles from './search-field.module.css'

export interface SearchFieldProps extends React.ComponentProps<'input'> {
  readonly 'aria-label': string
  /** What the key that leads to it does, for the help, and the heading there. */
  readonly does: string
  readonly group: string
}

/** A field that is searched with: a lens before it, the key that leads to it behind it. `className` is that of the frame. */
export function SearchField({ className = '', does, group, ...input }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  const select = () => {
    field.current?.focus()
    field.current?.select()
  }
  useKeys(group, [{ keys: '/', does, run: select }])
  return (
    <div className={`${styles.field} ${className}`}>
      <Search size={16} aria-hidden />
      <input
        {...input}
        ref={field}
        type="search"
        maxLength={1000}
        spellCheck={false}
        autoComplete="off"
      />
      <span className="flex wide-only">
        <KeyCap keys="/" />
      </span>
    </div>
  )
}
