import { Menu } from '@base-ui/react/menu'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import type { ListedConversation } from '../../api/conversation-list.ts'
import type { ServerInfo } from '../../api/routes.ts'
import { KeyCap } from '../../parts/key-cap.tsx'
import { linkOf } from '../../parts/link-of.ts'
import menu from '../../parts/menu.module.css'
import { MenuPopup } from '../../parts/menu-popup.tsx'
import { titleOf } from '../../parts/title-of.ts'
import styles from './conversation-table.module.css'
import { exportConversation } from './export-conversation.ts'

export interface RowMenuProps {
  readonly row: ListedConversation
  readonly tabIndex: number
  readonly scopes: ServerInfo['scopes']
  readonly onDelete: (row: ListedConversation) => void
}

const views = [
  { path: 'context', name: 'Context', keys: 'Enter' },
  { path: 'chat', name: 'Chat', keys: 'c' },
  { path: 'what-if', name: 'What if', keys: 'w' },
  { path: 'over-time', name: 'Over time', keys: 'o' },
] as const

/** What can be done with a conversation. */
export function RowMenu({ row, tabIndex, scopes, onDelete }: RowMenuProps) {
  const navigate = useNavigate()
  return (
    <Menu.Root>
      <Menu.Trigger className={styles.menu} tabIndex={tabIndex} aria-label={`More for ${titleOf(row)}`}>
        <Ellipsis size={16} aria-hidden />
      </Menu.Trigger>
      <MenuPopup align="end">
        {row.latest?.isExperiment && (
          <Item
            name="The experiment"
            run={() =>
              void navigate({
                to: '/e/$experiment/$view',
                params: { experiment: row.conversation, view: 'board' },
                search: {},
              })
            }
          />
        )}
        {views.map(({ path, name, keys }) => (
          <Item
            key={path}
            {...{ name, keys }}
            run={() => void navigate({ ...linkOf(row), to: `/c/$conversation/${path}` })}
          />
        ))}
        <Menu.Separator className={styles.separator} />
        <Item
          name="Export"
          keys="e"
          needs={scopes.includes('inspect') ? undefined : 'inspect'}
          run={() => void exportConversation(row)}
        />
        <Item
          name="Delete…"
          keys="Delete"
          needs={scopes.includes('admin') ? undefined : 'admin'}
          run={() => onDelete(row)}
        />
      </MenuPopup>
    </Menu.Root>
  )
}

interface ItemProps {
  readonly name: string
  readonly keys?: string
  /** The scope that is missing. */
  readonly needs?: string | undefined
  readonly run: () => void
}

function Item({ name, keys, needs, run }: ItemProps) {
  return (
    <Menu.Item className={menu.item} disabled={needs !== undefined} onClick={run}>
      <span className="cut fill slim">{name}</span>
      <span className="rigid muted">
        {needs === undefined ? keys !== undefined && <KeyCap keys={keys} /> : `needs the scope ${needs}`}
      </span>
    </Menu.Item>
  )
}
