import { setTheme, type Theme, theme } from '../../parts/theme.ts'
import styles from './settings-view.module.css'

const themes: readonly { readonly value: Theme; readonly name: string }[] = [
  { value: 'system', name: 'As the system' },
  { value: 'light', name: 'Light' },
  { value: 'dark', name: 'Dark' },
]

export function ThemeSection() {
  const chosen = theme.use()
  return (
    <fieldset className={styles.section}>
      <legend>Appearance</legend>
      <div className={`flex wraps gap-2 ${styles.choices}`}>
        {themes.map(({ value, name }) => (
          <label key={value}>
            <input
              type="radio"
              name="theme"
              value={value}
              checked={chosen === value}
              onChange={() => setTheme(value)}
            />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
