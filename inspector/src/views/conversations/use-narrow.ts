import { useSyncExternalStore } from 'react'

const query = matchMedia('(max-width: 720px)')

const subscribe = (listener: () => void) => {
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** Whether rows have the form for narrow screens: as in the styles. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => query.matches)
