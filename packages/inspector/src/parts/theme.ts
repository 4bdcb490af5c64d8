import { observable } from '../api/observable.ts'
import { useMedia } from './use-media.ts'

export type Theme = 'system' | 'light' | 'dark'

const place = 'throughline.theme'
const stored = localStorage.getItem(place)

/** Light, dark, or as the system has it. `public/theme.js` sets it before the first paint. */
export const theme = observable<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system')

export function setTheme(next: Theme): void {
  if (next === 'system') {
    localStorage.removeItem(place)
    delete document.documentElement.dataset.theme
  } else {
    localStorage.setItem(place, next)
    document.documentElement.dataset.theme = next
  }
  theme.set(next)
}

export const isDark = (): boolean =>
  theme.get() === 'system'
    ? matchMedia('(prefers-color-scheme: dark)').matches
    : theme.get() === 'dark'

/** The same, for what is drawn again when it changes. */
export function useIsDark(): boolean {
  theme.use()
  useMedia('(prefers-color-scheme: dark)')
  return isDark()
}

export const toggleTheme = (): void => setTheme(isDark() ? 'light' : 'dark')
