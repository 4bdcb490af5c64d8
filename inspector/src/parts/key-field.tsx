import { useState } from 'react'
import { takeKey } from '../api/key.ts'
import { queryClient } from '../api/query-client.ts'
import field from './field.module.css'

/** What a form for a key needs. A key that is taken reads everything again. */
export function useKeyForm() {
  const [value, onChange] = useState('')
  const take = (key: string | undefined) => {
    takeKey(key)
    onChange('')
    void queryClient.resetQueries()
  }
  const onSubmit = (event: React.FormEvent) => {
    event.preventDefault()
    take(value.trim())
  }
  return { field: { value, onChange }, onSubmit, take }
}

export interface KeyFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** Where a key is typed. It is never shown, and the browser does not keep it. */
export const KeyField = ({ label, value, onChange }: KeyFieldProps) => (
  <>
    <label className="muted caption" htmlFor="key">
      {label}
    </label>
    <input
      id="key"
      className={field.input}
      type="password"
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={event => onChange(event.target.value)}
      required
    />
  </>
)
