import { Menu } from '@base-ui/react/menu'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { askBytes, type ServerInfo, tell } from '../../api/client.ts'
import { dropConversation, type ListedConversation } from '../../api/conversation-list.ts'
import { boardAt, linkOf } from '../../parts/address.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { download, toFileName } from '../../parts/download.ts'
import { amountOf, titleOf } from '../../parts/format.ts'
import { KeyCap } from '../../parts/key-cap.tsx'
import { MenuItem, MenuPopup } from '../../parts/menu-popup.tsx'
import { notify } from '../../parts/notify.ts'
import styles from './conversation-table.module.css'

export interface RowProps {
  readonly row: ListedConversation
  readonly scopes: ServerInfo['scopes']
  readonly onDelete: (row: ListedConversation) => void
}

const views = [
  { path: 'context', name: 'Context', keys: 'Enter' },
  { path: 'chat', name: 'Chat', keys: 'c' },
  { path: 'over-time', name: 'Over time', keys: 'o' },
] as const

export function RowMenu({
  row,
  tabIndex,
  scopes,
  onDelete,
}: RowProps & { readonly tabIndex: number }) {
  const navigate = useNavigate()
  return (
    <Menu.Root>
      <Menu.Trigger
        className={styles.menu}
        tabIndex={tabIndex}
        aria-label={`More for ${titleOf(row)}`}
      >
        <Ellipsis size={16} aria-hidden />
      </Menu.Trigger>
      <MenuPopup align="end">
        {row.latest?.isExperiment && (
          <MenuItem
            label="The experiment"
            onClick={() => void navigate(boardAt(row.conversation))}
          />
        )}
        {views.map(({ path, name, keys }) => (
          <MenuItem
            key={path}
            label={name}
            more={<KeyCap keys={keys} />}
            onClick={() => void navigate({ ...linkOf(row), to: `/c/$conversation/${path}` })}
          />
        ))}
        <Menu.Separator className={styles.separator} />
        {[
          {
            label: 'Export',
            keys: 'e',
            needs: 'inspect',
            run: () => void exportConversation(row),
          } as const,
          { label: 'Delete…', keys: 'Delete', needs: 'admin', run: () => onDelete(row) } as const,
        ].map(({ label, keys, needs, run }) => {
          const may = scopes.includes(needs)
          const more = may ? <KeyCap keys={keys} /> : `needs the scope ${needs}`
          return <MenuItem key={label} {...{ label, more }} disabled={!may} onClick={run} />
        })}
      </MenuPopup>
    </Menu.Root>
  )
}

/** Gives a person the whole conversation as a file: the lines of the server's export as they are. */
export async function exportConversation(one: ListedConversation): Promise<void> {
  const { conversation } = one
  try {
    const file = await askBytes('get /conversations/:conversation/export', {
      params: { conversation },
    })
    download(file, `${toFileName(conversation)}.jsonl`)
    notify(`${titleOf(one)} was exported.`)
  } catch (error) {
    notify((error as Error).message, 'danger')
  }
}

interface DeleteDialogProps {
  readonly row: ListedConversation
  readonly onClose: () => void
  /** What gets the focus when this is over. */
  readonly finalFocus: () => HTMLElement | null
}

export function DeleteDialog({ row, onClose, finalFocus }: DeleteDialogProps) {
  const { conversation, latest } = row
  const title = titleOf(row)
  const deletion = useMutation({
    mutationFn: () => tell('delete /conversations/:conversation', { params: { conversation } }),
    onSuccess: () => {
      dropConversation(conversation)
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
      {latest &&
        `${amountOf(latest.entries, 'message')} and all that was sent of them are gone for good. `}
      {title !== conversation && (
        <>
          Its id is <code className="code">{conversation}</code>.{' '}
        </>
      )}
      This id stays blocked: a new conversation needs another one.
    </ConfirmDialog>
  )
}
