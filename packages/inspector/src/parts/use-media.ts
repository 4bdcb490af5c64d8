import { useSyncExternalStore } from 'react'

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    listener => {
      const list = matchMedia(query)
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    () => matchMedia(query).matches,
  )
}

export const isNarrow = '(max-width: 720px)'
export const isTouch = '(pointer: coarse)'
/** Too little room for panels beside the content. */
export const isTight = '(max-width: 1180px)'
