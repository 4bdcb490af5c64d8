import { AlertDialog } from '@base-ui/react/alert-dialog'
import { Button } from './button.tsx'
import styles from './confirm-dialog.module.css'

export interface ConfirmDialogProps {
  readonly title: string
  readonly children: React.ReactNode
  /** What is done if it is confirmed: the label of the button. */
  readonly action: string
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Asks before something that cannot be undone. The safe answer has the focus. */
export function ConfirmDialog({ title, children, action, onConfirm, onClose }: ConfirmDialogProps) {
  return (
    <AlertDialog.Root open onOpenChange={isOpen => !isOpen && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={styles.backdrop} />
        <AlertDialog.Popup className={styles.dialog}>
          <AlertDialog.Title className={styles.title}>{title}</AlertDialog.Title>
          <AlertDialog.Description className={styles.text}>{children}</AlertDialog.Description>
          <div className={styles.actions}>
            <AlertDialog.Close render={<Button />}>Cancel</AlertDialog.Close>
            <Button
              kind="danger"
              onClick={() => {
                onConfirm()
                onClose()
              }}
            >
              {action}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
