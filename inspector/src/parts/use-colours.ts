import { useMemo } from 'react'
import { isDark, theme } from './theme.ts'
import { useMedia } from './use-media.ts'

/** The colours of the tokens, resolved: a canvas knows no custom properties. They change with the theme. */
export function useColours<Name extends string>(names: readonly Name[]): Readonly<Record<Name, string>> {
  theme.use()
  useMedia('(prefers-color-scheme: dark)')
  const dark = isDark()
  const key = names.join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme decides what the names stand for
  return useMemo(() => resolve(key.split(' ') as Name[]), [key, dark])
}

function resolve<Name extends string>(names: readonly Name[]): Readonly<Record<Name, string>> {
  const probe = document.createElement('i')
  document.body.append(probe)
  const colours = {} as Record<Name, string>
  for (const name of names) {
    probe.style.color = `var(--${name})`
    colours[name] = getComputedStyle(probe).color
  }
  probe.remove()
  return colours
}
