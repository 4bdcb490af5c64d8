import { useCallback, useEffect, useRef, useState } from 'react'
import { useKeys } from './keys.ts'

interface RovingOptions {
  readonly items: readonly string[]
  /** The heading in the help, and what an item is called there. */
  readonly name: string
  readonly item: string
  /** Brings an item into view before it is focused: for lists that draw only what is seen. */
  readonly show?: (index: number) => void
}

/** A list with one tab stop. Items are known by key; when the active one goes, the one in its place takes over, with the focus. */
export function useRoving({ items, name, item, show }: RovingOptions) {
  const [state, setState] = useState<{ readonly key: string; readonly index: number } | undefined>()
  const { elements, refs } = useRef({
    elements: new Map<string, HTMLElement>(),
    refs: new Map<string, (element: HTMLElement | null) => void>(),
  }).current
  const wanted = useRef<string | undefined>(undefined)
  const isLost = useRef(false)
  const place = state === undefined ? -1 : items.indexOf(state.key)
  const index = place >= 0 ? place : Math.min(state?.index ?? 0, items.length - 1)
  /** The key of the item that is in the tab order, and that keys act on. */
  const active = items[index]

  const latest = useRef({ items, active })
  latest.current = { items, active }
  const setActive = useCallback(
    (key: string) =>
      setState(before =>
        before?.key === key ? before : { key, index: latest.current.items.indexOf(key) },
      ),
    [],
  )
  const focus = (key = active) => {
    if (key === undefined) return
    setState({ key, index: items.indexOf(key) })
    show?.(items.indexOf(key))
    const element = elements.get(key)
    if (element) element.focus({ preventScroll: show !== undefined })
    else wanted.current = key
  }
  const move = (to: number) => focus(items[Math.max(0, Math.min(items.length - 1, to))])
  const isFocused = () => active !== undefined && elements.get(active) === document.activeElement
  // The first key returns to the active item; later keys move.
  const step = (by: number) => move(isFocused() ? index + by : index)

  useKeys(name, [
    { keys: 'j', does: `next ${item}`, run: () => step(1) },
    { keys: 'k', does: `${item} before`, run: () => step(-1) },
    { keys: 'ArrowDown', does: `next ${item}`, run: () => step(1) },
    { keys: 'ArrowUp', does: `${item} before`, run: () => step(-1) },
    { keys: 'Home', does: `first ${item}`, run: () => move(0) },
    { keys: 'End', does: `last ${item}`, run: () => move(items.length - 1) },
  ])

  useEffect(() => {
    if (isLost.current) focus()
    isLost.current = false
    // An item that was not drawn yet when it was to be focused.
    const element = wanted.current === undefined ? undefined : elements.get(wanted.current)
    if (!element) return
    wanted.current = undefined
    element.focus({ preventScroll: true })
  })

  /** Goes on an element of an item that takes the focus. */
  const ref = useCallback(
    (key: string) => {
      const cachedRef = refs.get(key)
      if (cachedRef) return cachedRef
      const made = (element: HTMLElement | null) => {
        if (element) elements.set(key, element)
        else {
          // It is still there at this moment, with the focus.
          if (elements.get(key) === document.activeElement) isLost.current = true
          elements.delete(key)
        }
      }
      refs.set(key, made)
      return made
    },
    [elements, refs],
  )
  const element = useCallback(() => elements.get(latest.current.active ?? '') ?? null, [elements])
  return { active, setActive, focus, ref, isFocused, element }
}
