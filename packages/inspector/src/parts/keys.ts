import { useLayoutEffect, useRef } from 'react'
import { observable } from '../api/observable.ts'

/** Keys as the browser names them, after their modifiers; sequences have a blank: `J`, `Shift+ArrowLeft`, `Mod+k`, `g c`. */
interface KeyBinding {
  readonly keys: string
  readonly does: string
  readonly run: () => void
  /** Also while something is being typed. */
  readonly isEverywhere?: boolean
}

interface KeyGroup {
  readonly name: string
  readonly bindings: readonly KeyBinding[]
}

const groups = observable<readonly KeyGroup[]>([])

/** All keys that do something now, by group: for the help and for the command palette. */
export const useKeyGroups = groups.use

/** Not after the paint: a key pressed at once would be missed. A later group wins. `name` is the heading in the help. */
export function useKeys(name: string, bindings: readonly KeyBinding[]): void {
  const latest = useRef(bindings)
  latest.current = bindings
  const signature = bindings.map(({ keys, does }) => `${keys}\t${does}`).join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: bindings are looked up when their key is pressed
  useLayoutEffect(() => {
    const group: KeyGroup = {
      name,
      bindings: latest.current.map((binding, at) => ({
        ...binding,
        run: () => latest.current[at]?.run(),
      })),
    }
    groups.set([...groups.get(), group])
    return () => groups.set(groups.get().filter(one => one !== group))
  }, [name, signature])
}

/** The keys that walk along an axis, by one and by ten. */
export const walkKeys = (
  item: string,
  at: number,
  go: (to: number) => void,
): readonly KeyBinding[] => [
  { keys: 'ArrowLeft', does: `${item} before`, run: () => go(at - 1) },
  { keys: 'ArrowRight', does: `${item} after`, run: () => go(at + 1) },
  { keys: 'Shift+ArrowLeft', does: `ten ${item}s back`, run: () => go(at - 10) },
  { keys: 'Shift+ArrowRight', does: `ten ${item}s on`, run: () => go(at + 10) },
]

let isHeld = false

/** Keys of the page do nothing while a sheet lies over it, or is still being loaded. */
export function useHeldKeys(isOn: boolean): void {
  useLayoutEffect(() => {
    isHeld = isOn
    return () => {
      isHeld = false
    }
  }, [isOn])
}

let pending = ''
let pendingSince = 0

/** What had the focus when a key of the page was pressed: Enter is then meant for the page, until Tab moves the focus. */
let passed: EventTarget | null = null

export function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || isModifier(event.key)) return
  const name = nameOf(event)
  const sequence =
    pending !== '' && event.timeStamp - pendingSince < 1500 ? `${pending} ${name}` : name
  pending = ''
  const all = groups.get().flatMap(group => group.bindings)
  const isFree = !isHeld && !isTyping(event.target) && !isOwn(event)
  const binding = all.findLast(
    ({ keys, isEverywhere }) => keys === sequence && (isFree || isEverywhere),
  )
  if (binding || event.key === 'Tab') passed = binding ? event.target : null
  if (binding) {
    event.preventDefault()
    return binding.run()
  }
  if (isFree && all.some(({ keys }) => keys.startsWith(`${sequence} `))) {
    pending = sequence
    pendingSince = event.timeStamp
  }
}

const isModifier = (key: string) => ['Shift', 'Control', 'Alt', 'Meta'].includes(key)

/** `Shift+` is written before named keys only: with other keys it makes another character, `?` or `J`. */
function nameOf({ key, shiftKey, metaKey, ctrlKey, altKey }: KeyboardEvent): string {
  const isNamed = key.length > 1
  return `${metaKey || ctrlKey ? 'Mod+' : ''}${altKey ? 'Alt+' : ''}${shiftKey && isNamed ? 'Shift+' : ''}${key}`
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches(
      'textarea, select, input:not([type=checkbox], [type=radio], [type=button], [type=range])',
    ))

/** Arrows and their like move a slider that has the focus; Enter presses a button. */
const isOwn = ({ target, key }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  ((target.matches('input[type=range]') && /^(Arrow|Page|Home|End)/.test(key)) ||
    (key === 'Enter' && target !== passed && target.matches('button, a')))

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** Keys as a person reads them: `⇧←`, `⌘K`, `g` `c`. */
export const keyCaps = (keys: string): readonly string[] =>
  keys.split(' ').map(key => {
    const [name = key, ...held] = key.split(/\+(?=.)/).reverse()
    const marks = held.map(one =>
      one === 'Mod' ? (isMac ? '⌘' : 'Ctrl ') : one === 'Shift' ? '⇧' : `${one} `,
    )
    return `${marks.join('')}${caps[name] ?? (held.length > 0 ? name.toUpperCase() : name)}`
  })

const caps: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Enter: '↵',
  Escape: 'Esc',
}
