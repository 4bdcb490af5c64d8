import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { useState } from 'react'
import { conversationsQuery, searchQuery } from '../api/queries.ts'
import { ago } from '../parts/format.ts'
import { keyOfHit, placeOfHit } from '../parts/hit-place.ts'
import { KeyCap } from '../parts/key-cap.tsx'
import { useKeyGroups } from '../parts/keys.ts'
import { Marked } from '../parts/marked.tsx'
import { matchesWords } from '../parts/match-words.ts'
import menu from '../parts/menu.module.css'
import { titleOf } from '../parts/title-of.ts'
import { useSettled } from '../parts/use-settled.ts'
import styles from './command-palette.module.css'
import { Sheet } from './sheet.tsx'

/** The most conversations, and the most messages, that the palette offers: the list and the search have all of them. */
const mostConversations = 20
const mostMessages = 6

/** Finds anything by its words: a conversation, whatever a key does here, a message. */
export default function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const query = typed.trim()
  const groups = useKeyGroups()
    .toReversed()
    .map(({ name, bindings }) => ({
      name,
      bindings: bindings.filter(
        ({ keys, does }) => keys !== 'Mod+k' && matchesWords(`${name} ${does}`, query),
      ),
    }))
    .filter(({ bindings }) => bindings.length > 0)
  const { data } = useInfiniteQuery(conversationsQuery)
  const conversations = (data?.pages.flatMap(page => page.conversations) ?? [])
    .filter(one => matchesWords(`${titleOf(one)} ${one.conversation}`, query))
    .slice(0, mostConversations)
  const settled = useSettled(query, 200)
  const search = useQuery(searchQuery(settled, false))
  const messages = query === '' ? [] : (search.data?.found.slice(0, mostMessages) ?? [])
  const isSearching = query !== '' && (settled !== query || search.isFetching)
  const run = (action: () => void) => {
    onClose()
    action()
  }
  return (
    <Sheet title="Find anything" isTitleHidden onClose={onClose}>
      <Command label="Find anything" loop shouldFilter={false}>
        <Command.Input
          className={styles.input}
          placeholder="A conversation, a view, a key, a message …"
          value={typed}
          onValueChange={setTyped}
          autoFocus
        />
        <Command.List className={styles.list} label="What was found">
          {!isSearching && <Command.Empty className={styles.none}>Nothing has these words.</Command.Empty>}
          {conversations.length > 0 && (
            <Command.Group heading="Conversations">
              {conversations.map(({ conversation, updatedAt, ...rest }) => (
                <Command.Item
                  key={conversation}
                  value={`conversation ${conversation}`}
                  className={menu.item}
                  onSelect={() =>
                    run(
                      () =>
                        void navigate({
                          to: '/c/$conversation/context',
                          params: { conversation },
                          search: {},
                        }),
                    )
                  }
                >
                  <span className={menu.name}>{titleOf({ conversation, ...rest })}</span>
                  <span className={menu.more}>{ago(updatedAt)}</span>
                </Command.Item>
              ))}
            </Command.Group>
          )}
          {groups.map(({ name, bindings }) => (
            <Command.Group key={name} heading={name}>
              {bindings.map(({ keys, does, run: action }) => (
                <Command.Item
                  key={keys}
                  value={`key ${name} ${keys}`}
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
          {query !== '' && (messages.length > 0 || isSearching) && (
            <Command.Group heading={isSearching && messages.length === 0 ? 'Messages …' : 'Messages'}>
              {messages.map(hit => (
                <Command.Item
                  key={keyOfHit(hit)}
                  value={`message ${keyOfHit(hit)}`}
                  className={menu.item}
                  onSelect={() =>
                    run(
                      () =>
                        void navigate({
                          to: '/c/$conversation/context',
                          params: { conversation: hit.conversation },
                          search: placeOfHit(hit),
                        }),
                    )
                  }
                >
                  <span className={menu.name} dir="auto">
                    <Marked text={hit.snippet} places={hit.hits} />
                  </span>
                  <span className={menu.more}>{ago(hit.time)}</span>
                </Command.Item>
              ))}
              {messages.length > 0 && (
                <Command.Item
                  value="all messages"
                  className={menu.item}
                  onSelect={() => run(() => void navigate({ to: '/search', search: { q: query } }))}
                >
                  <span className={menu.name}>All messages with these words</span>
                </Command.Item>
              )}
            </Command.Group>
          )}
        </Command.List>
      </Command>
    </Sheet>
  )
}
