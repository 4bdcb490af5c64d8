import { ChevronDown, ChevronRight } from 'lucide-react'
import { createContext, useContext, useMemo, useState } from 'react'
import { toggled } from '../../parts/toggled.ts'
import styles from './fold.module.css'

interface Folds {
  readonly isOpen: (name: string) => boolean
  readonly toggle: (name: string) => void
}

const FoldContext = createContext<Folds>({ isOpen: () => false, toggle: () => undefined })

/** Remembers what is unfolded: a row that is scrolled out of sight and back looks as it was left. */
export function FoldMemory({ children }: { readonly children: React.ReactNode }) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const folds = useMemo<Folds>(
    () => ({
      isOpen: name => open.has(name),
      toggle: name => setOpen(before => toggled(before, name)),
    }),
    [open],
  )
  return <FoldContext value={folds}>{children}</FoldContext>
}

export function useFold(name: string) {
  const { isOpen, toggle } = useContext(FoldContext)
  return { isOpen: isOpen(name), toggle: () => toggle(name) }
}

export interface FoldProps {
  /** A stable key of the folded content. */
  readonly name: string
  readonly icon: React.ReactNode
  /** The line that is always shown. */
  readonly label: React.ReactNode
  readonly kind?: 'line' | 'recalled'
  readonly children: React.ReactNode
}

/** A line that unfolds to more. */
export function Fold({ name, children, ...line }: FoldProps) {
  const fold = useFold(name)
  return (
    <div className="grid single gap-6px slim in-width">
      <FoldButton {...fold} {...line} />
      {fold.isOpen && children}
    </div>
  )
}

export function FoldButton({
  isOpen,
  toggle,
  icon,
  label,
  kind = 'line',
}: ReturnType<typeof useFold> & Omit<FoldProps, 'name' | 'children'>) {
  const Chevron = isOpen ? ChevronDown : ChevronRight
  return (
    <button type="button" className={styles.line} data-kind={kind} aria-expanded={isOpen} onClick={toggle}>
      {icon}
      <span className={`cut slim ${styles.label}`}>{label}</span>
      <Chevron size={14} aria-hidden />
    </button>
  )
}
