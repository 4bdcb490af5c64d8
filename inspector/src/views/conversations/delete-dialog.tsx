import { AlertDialog } from '@base-ui/react/alert-dialog'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { tell } from '../../api/client.ts'
import { dropConversation, type ListedConversation } from '../../api/conversation-list.ts'
import { Button } from '../../parts/button.tsx'
import { amountOf } from '../../parts/format.ts'
import { notify } from '../../parts/notify.ts'
import { titleOf } from '../../parts/title-of.ts'
import styles from './delete-dialog.module.css'

export interface DeleteDialogProps {
  readonly conversation: ListedConversation
  readonly onClose: () => void
  readonly onDeleted: () => void
}

/** Asks whether a conversation is to be deleted, by its name. */
export function DeleteDialog({ conversation: one, onClose, onDeleted }: DeleteDialogProps) {
  const client = useQueryClient()
  const { conversation, latest } = one
  const title = titleOf(one)
  const keep = useRef<HTMLButtonElement>(null)
  const deletion = useMutation({
    mutationFn: () => tell('delete /conversations/:conversation', { params: { conversation } }),
    onSuccess: () => {
      dropConversation(client, conversation)
      notify(`${title} was deleted.`)
      onClose()
      onDeleted()
    },
    onError: error => notify(error.message, 'danger'),
  })
  return (
    <AlertDialog.Root open onOpenChange={isOpen => !isOpen && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={styles.backdrop} />
        <AlertDialog.Popup className={styles.dialog} initialFocus={keep}>
          <AlertDialog.Title className={styles.title}>
            Delete “<bdi>{title}</bdi>”?
          </AlertDialog.Title>
          <AlertDialog.Description className={styles.about}>
            {latest &&
              `${amountOf(latest.entries, 'message')} and all that was sent of them are gone for good. `}
            {title !== conversation && (
              <>
                Its name is <code>{conversation}</code>.{' '}
              </>
            )}
            The name is never free again.
          </AlertDialog.Description>
          <div className={styles.actions}>
            <Button ref={keep} onClick={onClose}>
              Keep it
            </Button>
            <Button
              className={styles.delete ?? ''}
              disabled={deletion.isPending}
              onClick={() => deletion.mutate()}
            >
              Delete
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
