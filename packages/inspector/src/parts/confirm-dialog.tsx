import { AlertDialog } from '@base-ui/react/alert-dialog'
import { useRef } from 'react'
import { Button } from './button.tsx'
import styles from './confirm-dialog.module.css'

export interface ConfirmDialogProps {
  readonly title: React.ReactNode
  readonly children: React.ReactNode
  readonly action: string
  readonly refusal?: string
  /** The dialog stays until it is done; then it is closed from outside. */
  readonly isPending?: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
  readonly finalFocus?: () => HTMLElement | null
}

/** Asks before something that cannot be undone. The safe answer has the focus. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const {
    title,
    children,
    action,
    refusal = 'Cancel',
    isPending,
    onConfirm,
    onClose,
    finalFocus,
  } = props
  const safe = useRef<HTMLButtonElement>(null)
  return (
    <AlertDialog.Root open onOpenChange={isOpen => !isOpen && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className={styles.dialog} initialFocus={safe} finalFocus={finalFocus}>
          <AlertDialog.Title className="heading breaks">{title}</AlertDialog.Title>
          <AlertDialog.Description className={styles.text}>{children}</AlertDialog.Description>
          <div className={`flex at-end gap-2 ${styles.actions}`}>
            <Button ref={safe} onClick={onClose}>
              {refusal}
            </Button>
            <Button
              kind="danger"
              // Not disabled while it is under way: it would lose the focus.
              aria-disabled={isPending ?? false}
              onClick={() => isPending || onConfirm()}
            >
              {action}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
