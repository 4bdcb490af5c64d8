import { Dialog } from '@base-ui/react/dialog'
import styles from './sheet.module.css'

export interface SheetProps {
  readonly title: string
  /** Whether the title is only for screen readers. */
  readonly isTitleHidden?: boolean
  /** For what is drawn wide. */
  readonly isWide?: boolean
  readonly onClose: () => void
  readonly children: React.ReactNode
}

export function Sheet({ title, isTitleHidden = false, isWide, onClose, children }: SheetProps) {
  return (
    <Dialog.Root open onOpenChange={isOpen => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className={`dialog scrolls ${styles.sheet}`} data-wide={isWide}>
          <Dialog.Title className={isTitleHidden ? 'hidden' : `heading ${styles.title}`}>
            {title}
          </Dialog.Title>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
