import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { useState } from 'react'
import { conversationsQuery, searchQuery } from '../api/queries.ts'
import { type ConversationSearch, keyOfHit, linkOf, placeOfHit, viewAt } from '../parts/address.ts'
import { ago, titleOf } from '../parts/format.ts'
import { KeyCap } from '../parts/key-cap.tsx'
import { useKeyGroups } from '../parts/keys.ts'
import { Marked } from '../parts/marked.tsx'
import { matchesWords, placeIn } from '../parts/matches-words.ts'
import menu from '../parts/menu.module.css'
import { MenuText } from '../parts/menu-popup.tsx'
import { Sheet } from '../parts/sheet.tsx'
import { useSettled } from '../parts/use-settled.ts'
import styles from './command-palette.module.css'

/** The most conversations, and the most messages, that the palette offers: the list and the search have all of them. */
const mostConversations = 20
const mostMessages = 6

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
  const { data, isPending } = useInfiniteQuery(conversationsQuery)
  const conversations = (data?.pages.flatMap(page => page.conversations) ?? [])
    .filter(one => matchesWords(`${titleOf(one)} ${one.conversation}`, query))
    .slice(0, mostConversations)
  const settled = useSettled(query, 200)
  const search = useQuery(searchQuery(settled, false))
  const messages = query === '' ? [] : (search.data?.found.slice(0, mostMessages) ?? [])
  const isSearching = query !== '' && (settled !== query || search.isFetching)
  const { conversation: here } = useParams({ strict: false })
  const place = here === undefined ? undefined : placeIn(query)
  const run = (action: () => void) => {
    onClose()
    action()
  }
  const open = (conversation: string, search: ConversationSearch) =>
    void navigate(viewAt('context', conversation, search))
  return (
    <Sheet title="Find anything" isTitleHidden onClose={onClose}>
      <Command label="Find anything" loop shouldFilter={false}>
        <Command.Input
          className={`wide hints bare ${styles.input}`}
          placeholder="A conversation, a view, a key, a message …"
          value={typed}
          onValueChange={setTyped}
          autoFocus
        />
        <Command.List className={`scrolls-down ${styles.list}`} label="What was found">
          {!isSearching && !isPending && (
            <Command.Empty className={`muted ${styles.none}`}>
              Nothing matches these words.
            </Command.Empty>
          )}
          {place !== undefined && (
            <Row value={`place ${place}`} onSelect={() => run(() => open(here!, { entry: place }))}>
              Message #{place} of this conversation
            </Row>
          )}
          {conversations.length > 0 && (
            <Command.Group heading="Conversations">
              {conversations.map(one => (
                <Row
                  key={one.conversation}
                  value={`conversation ${one.conversation}`}
                  more={ago(one.updatedAt)}
                  onSelect={() => run(() => open(one.conversation, linkOf(one).search))}
                >
                  {titleOf(one)}
                </Row>
              ))}
            </Command.Group>
          )}
          {/* The first row is the chosen one: nothing is listed before the conversations are known. */}
          {(isPending ? [] : groups).map(({ name, bindings }) => (
            <Command.Group key={name} heading={name}>
              {bindings.map(({ keys, does, run: action }) => (
                <Row
                  key={keys}
                  value={`key ${name} ${keys}`}
                  more={<KeyCap keys={keys} />}
                  onSelect={() => run(action)}
                >
                  {does}
                </Row>
              ))}
            </Command.Group>
          ))}
          {query !== '' && (messages.length > 0 || isSearching) && (
            <Command.Group
              heading={isSearching && messages.length === 0 ? 'Messages …' : 'Messages'}
            >
              {messages.map(hit => (
                <Row
                  key={keyOfHit(hit)}
                  value={`message ${keyOfHit(hit)}`}
                  more={ago(hit.time)}
                  onSelect={() => run(() => open(hit.conversation, placeOfHit(hit)))}
                >
                  <Marked text={hit.snippet} places={hit.hits} />
                </Row>
              ))}
              {messages.length > 0 && (
                <Row
                  value="all messages"
                  onSelect={() => run(() => void navigate({ to: '/search', search: { q: query } }))}
                >
                  All messages with these words
                </Row>
              )}
            </Command.Group>
          )}
        </Command.List>
      </Command>
    </Sheet>
  )
}

interface RowProps extends React.ComponentProps<typeof Command.Item> {
  readonly more?: React.ReactNode
}

const Row = ({ more, children, ...item }: RowProps) => (
  <Command.Item className={menu.item} {...item}>
    <MenuText label={children} more={more} />
  </Command.Item>
)
