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
  /** The one that is to be deleted; undefined while nothing is. */
  readonly conversation: ListedConversation | undefined
  readonly onClose: () => void
  /** What gets the focus when this is over. */
  readonly finalFocus: () => HTMLElement | null
}

/** Asks whether a conversation is to be deleted, by its name. */
export function DeleteDialog({ conversation: asked, onClose, finalFocus }: DeleteDialogProps) {
  return (
    <AlertDialog.Root open={asked !== undefined} onOpenChange={isOpen => !isOpen && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={styles.backdrop} />
        {asked && <Question {...{ one: asked, onClose, finalFocus }} />}
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

interface QuestionProps extends Omit<DeleteDialogProps, 'conversation'> {
  readonly one: ListedConversation
}

function Question({ one, onClose, finalFocus }: QuestionProps) {
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
    },
    onError: error => notify(error.message, 'danger'),
  })
  return (
    <AlertDialog.Popup className={styles.dialog} initialFocus={keep} finalFocus={finalFocus}>
      <AlertDialog.Title className={styles.title}>
        Delete “<bdi>{title}</bdi>”?
      </AlertDialog.Title>
      <AlertDialog.Description className={styles.about}>
        {latest && `${amountOf(latest.entries, 'message')} and all that was sent of them are gone for good. `}
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
          // Not disabled while it is under way: it would lose the focus.
          aria-disabled={deletion.isPending}
          onClick={() => deletion.isPending || deletion.mutate()}
        >
          Delete
        </Button>
      </div>
    </AlertDialog.Popup>
  )
}
