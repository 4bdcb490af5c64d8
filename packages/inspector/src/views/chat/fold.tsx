import { ChevronDown, ChevronRight } from 'lucide-react'
import { createContext, useContext, useMemo, useReducer, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { count } from '../../parts/format.ts'
import { toggled } from '../../parts/toggled.ts'
import styles from './fold.module.css'

const FoldContext = createContext({
  open: new Set<string>() as ReadonlySet<string>,
  toggle: (_: string) => {},
})

/** Remembers what is unfolded: a row that is scrolled out of sight and back looks as it was left. */
export function FoldMemory({ children }: { readonly children: React.ReactNode }) {
  const [open, toggle] = useReducer(toggled<string>, new Set<string>())
  const folds = useMemo(() => ({ open, toggle }), [open])
  return <FoldContext value={folds}>{children}</FoldContext>
}

export function useFold(name: string) {
  const { open, toggle } = useContext(FoldContext)
  return { isOpen: open.has(name), toggle: () => toggle(name) }
}

/** The beginning of a long text, and a button that shows the rest. */
export function useCut(text: string, most: number) {
  const [isWhole, setWhole] = useState(false)
  const isCut = !isWhole && text.length > most
  const more = isCut && (
    <Button onClick={() => setWhole(true)}>Show all {count(text.length)} characters</Button>
  )
  return { isCut, shown: isCut ? text.slice(0, most) : text, more }
}

interface FoldProps {
  /** A stable key of the folded content. */
  readonly name: string
  readonly icon: React.ReactNode
  readonly label: React.ReactNode
  readonly kind?: 'line' | 'recalled'
  readonly children: React.ReactNode
}

export function Fold({ name, children, ...line }: FoldProps) {
  const fold = useFold(name)
  return (
    <div className="grid single gap-6px slim in-width">
      <FoldButton {...fold} {...line} />
      {fold.isOpen && children}
    </div>
  )
}

type FoldButtonProps = ReturnType<typeof useFold> & Omit<FoldProps, 'name' | 'children'>

export function FoldButton({ isOpen, toggle, icon, label, kind = 'line' }: FoldButtonProps) {
  const Chevron = isOpen ? ChevronDown : ChevronRight
  return (
    <button
      type="button"
      className={styles.line}
      data-kind={kind}
      aria-expanded={isOpen}
      onClick={toggle}
    >
      {icon}
      <span className={`cut slim ${styles.label}`}>{label}</span>
      <Chevron size={14} aria-hidden />
    </button>
  )
}
