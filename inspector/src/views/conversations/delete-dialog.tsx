import { useMutation, useQueryClient } from '@tanstack/react-query'
import { tell } from '../../api/client.ts'
import { dropConversation, type ListedConversation } from '../../api/conversation-list.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { amountOf } from '../../parts/format.ts'
import { notify } from '../../parts/notify.ts'
import { titleOf } from '../../parts/title-of.ts'

interface DeleteDialogProps {
  readonly row: ListedConversation
  readonly onClose: () => void
  /** What gets the focus when this is over. */
  readonly finalFocus: () => HTMLElement | null
}

/** Asks whether a conversation is to be deleted, by its name. */
export function DeleteDialog({ row, onClose, finalFocus }: DeleteDialogProps) {
  const client = useQueryClient()
  const { conversation, latest } = row
  const title = titleOf(row)
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
    <ConfirmDialog
      title={
        <>
          Delete “<bdi>{title}</bdi>”?
        </>
      }
      action="Delete"
      refusal="Keep it"
      isPending={deletion.isPending}
      onConfirm={() => deletion.mutate()}
      {...{ onClose, finalFocus }}
    >
      {latest && `${amountOf(latest.entries, 'message')} and all that was sent of them are gone for good. `}
      {title !== conversation && (
        <>
          Its id is <code>{conversation}</code>.{' '}
        </>
      )}
      This id stays blocked: a new conversation needs another one.
    </ConfirmDialog>
  )
}
