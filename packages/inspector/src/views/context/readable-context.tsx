import { useCallback, useMemo, useState } from 'react'
import { cacheOf } from '../../parts/cache-share.ts'
import { fateAt, fates, runAt } from '../../parts/fates.ts'
import { useKeys } from '../../parts/keys.ts'
import { toggled } from '../../parts/toggled.ts'
import { isNarrow, useMedia } from '../../parts/use-media.ts'
import { Answer } from './answer.tsx'
import { ContextList } from './context-list.tsx'
import styles from './context-view.module.css'
import { EntryPanel } from './entry-panel.tsx'
import { LogList, useFind } from './log-list.tsx'
import { newLanding } from './log-strip.tsx'
import { Ribbons } from './ribbons.tsx'
import { toContextItems, toLogItems, useScene } from './scene.ts'

const none: ReadonlySet<never> = new Set()

/** The log, what the model got of it, and the entry that is selected. */
export function ReadableContext() {
  const scene = useScene()
  const { place, entries, runs, point, shownPoint, moment, selected, isPlaying } = scene
  const { thread, search, go } = place
  const isSlim = useMedia(isNarrow)
  const [landing] = useState(newLanding)
  const [open, setOpen] = useState<ReadonlySet<number>>(none)
  const [flips, setFlips] = useState<{ readonly at: number; readonly keys: ReadonlySet<string> }>()
  const [cursor, setCursor] = useState<number>()
  const [isLogShown, setLogShown] = useState(false)
  const [seen, setSeen] = useState<readonly [number, number]>()
  const head = entries.length
  const find = useFind(thread, search.q ?? '', head)
  const items = useMemo(
    () => toLogItems(runs, { fate: search.fate, matches: find.matches, open, selected, head }),
    [runs, search.fate, find.matches, open, selected, head],
  )
  // Another moment has other blocks: open ones are forgotten.
  const flipped = flips?.at === shownPoint.at ? flips.keys : none
  const list = useMemo(
    () =>
      toContextItems(
        moment.rows,
        { ...shownPoint, reused: cacheOf(shownPoint).drawn },
        { flipped, selected },
      ),
    [moment.rows, shownPoint, flipped, selected],
  )
  const toggle = useCallback((first: number) => setOpen(before => toggled(before, first)), [])
  const flip = (key: string) => setFlips({ at: shownPoint.at, keys: toggled(flipped, key) })
  const select = (seq: number | undefined) => {
    setCursor(undefined)
    scene.select(seq)
  }
  const at = items.findIndex(item =>
    cursor === undefined
      ? item.kind === 'entry' && item.seq === selected
      : item.kind === 'fold' && item.first === cursor,
  )
  const step = (by: number) => {
    const next = items[at < 0 ? (by > 0 ? 0 : items.length - 1) : at + by]
    if (next?.kind === 'entry') select(next.seq)
    else if (next?.kind === 'fold') setCursor(next.first)
  }
  const stepRecalled = (by: number) => {
    for (let seq = (selected ?? (by > 0 ? 0 : head + 1)) + by; seq >= 1 && seq <= head; seq += by)
      if (fateAt(runs, seq) === 'recalled') return select(seq)
  }
  const unfold = () => {
    if (cursor !== undefined) {
      toggle(cursor)
      return select(cursor)
    }
    if (selected === undefined) return
    const fold = runAt(runs, selected)
    if (fold && open.has(fold.first)) {
      toggle(fold.first)
      return setCursor(fold.first)
    }
    // A block from other conversations has no entries of this one: it opens with the message that asked for it.
    const block = list.items.find(
      item =>
        item.kind === 'block' &&
        (item.row.sources ? [item.asker] : item.row.standsFor).includes(selected),
    )
    if (block) flip(block.key)
  }
  const cycleFate = () => {
    const present = fates.filter(({ fate }) => point.counts[fate] > 0).map(({ fate }) => fate)
    const next = search.fate === undefined ? 0 : present.indexOf(search.fate) + 1
    go({ fate: present[next] })
  }
  const clear = () => {
    if (document.activeElement instanceof HTMLInputElement) document.activeElement.blur()
    if (search.q !== undefined) go({ q: undefined })
    else if (search.fate !== undefined) go({ fate: undefined })
    else if (search.said !== undefined) go({ said: undefined })
    else if (cursor !== undefined) setCursor(undefined)
    else select(undefined)
  }
  useKeys('Entries', [
    { keys: 'j', does: 'entry after', run: () => step(1) },
    { keys: 'k', does: 'entry before', run: () => step(-1) },
    { keys: 'J', does: 'next that was brought back', run: () => stepRecalled(1) },
    { keys: 'K', does: 'previous that was brought back', run: () => stepRecalled(-1) },
    { keys: 'Enter', does: 'open or close a fold or a block', run: unfold },
    {
      keys: '/',
      does: 'find in the log',
      run: () => document.querySelector<HTMLElement>('[data-find="log"]')?.focus(),
    },
    { keys: 'f', does: 'show only one kind: kept, brought back …', run: cycleFate },
    {
      keys: 'Escape',
      does: 'clear: search, then filter, then selection',
      run: clear,
      isEverywhere: true,
    },
  ])

  const logList = <LogList {...{ items, find }} selectedAt={at} onFold={toggle} onSeen={setSeen} />
  return (
    <div className={`grid low ${styles.scene}`} data-panel={selected !== undefined}>
      {!isSlim && logList}
      <Ribbons
        {...{ list, landing }}
        seen={isSlim && !isLogShown ? undefined : seen}
        isLogShown={isLogShown}
        onToggleLog={() => setLogShown(!isLogShown)}
      />
      {isSlim && isLogShown ? (
        logList
      ) : (
        <ContextList {...{ list, landing }} isFollowed={isPlaying} onFold={flip}>
          <Answer />
        </ContextList>
      )}
      {selected !== undefined && (
        <EntryPanel onPick={(policy, window) => go({ b: `${window}.${policy}` }, { push: true })} />
      )}
    </div>
  )
}
