import field from './field.module.css'

export interface KeyFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** Where a key is typed. It is never shown, and the browser does not keep it. */
export function KeyField({ label, value, onChange }: KeyFieldProps) {
  return (
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
}
