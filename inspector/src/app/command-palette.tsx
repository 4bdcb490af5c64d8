import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { conversationsQuery } from '../api/queries.ts'
import { ago } from '../parts/format.ts'
import { KeyCap } from '../parts/key-cap.tsx'
import { useKeyGroups } from '../parts/keys.ts'
import menu from '../parts/menu.module.css'
import { titleOf } from '../parts/title-of.ts'
import styles from './command-palette.module.css'
import { Sheet } from './sheet.tsx'

/** Finds anything: a conversation by its name, or whatever a key does here. */
export default function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate()
  const groups = useKeyGroups()
  const { data } = useInfiniteQuery(conversationsQuery)
  const conversations = data?.pages.flatMap(page => page.conversations) ?? []
  const run = (action: () => void) => {
    onClose()
    action()
  }
  return (
    <Sheet title="Find anything" isTitleHidden onClose={onClose}>
      <Command label="Find anything" loop>
        <Command.Input className={styles.input} placeholder="A conversation, a view, a key…" autoFocus />
        <Command.List className={styles.list} label="What was found">
          <Command.Empty className={styles.none}>Nothing is called that.</Command.Empty>
          <Command.Group heading="Conversations">
            {conversations.slice(0, 100).map(({ conversation, updatedAt, ...rest }) => (
              <Command.Item
                key={conversation}
                value={`${titleOf({ conversation, ...rest })} ${conversation}`}
                className={menu.item}
                onSelect={() =>
                  run(
                    () =>
                      void navigate({ to: '/c/$conversation/context', params: { conversation }, search: {} }),
                  )
                }
              >
                <span className={menu.name}>{titleOf({ conversation, ...rest })}</span>
                <span className={menu.more}>{ago(updatedAt)}</span>
              </Command.Item>
            ))}
          </Command.Group>
          {groups.toReversed().map(({ name, bindings }) => (
            <Command.Group key={name} heading={name}>
              {bindings
                .filter(({ keys }) => keys !== 'Mod+k')
                .map(({ keys, does, run: action }) => (
                  <Command.Item
                    key={keys}
                    value={`${name} ${does}`}
                    className={menu.item}
                    onSelect={() => run(action)}
                  >
                    <span className={menu.name}>{does}</span>
                    <span className={menu.more}>
                      <KeyCap keys={keys} />
                    </span>
                  </Command.Item>
                ))}
            </Command.Group>
          ))}
        </Command.List>
      </Command>
    </Sheet>
  )
}
