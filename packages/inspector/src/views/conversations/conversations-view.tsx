import { Menu } from '@base-ui/react/menu'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ChevronDown, FileInput, Plus, X } from 'lucide-react'
import type { ServerInfo } from '../../api/client.ts'
import { serverQuery } from '../../api/queries.ts'
import { type ListSearch, useGo, viewAt } from '../../parts/address.ts'
import { Button } from '../../parts/button.tsx'
import { amountOf, count, newConversationName } from '../../parts/format.ts'
import { chooseFiles } from '../../parts/import-files.ts'
import { useKeys } from '../../parts/keys.ts'
import { MenuItem, MenuPopup } from '../../parts/menu-popup.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { ConversationTable } from './conversation-table.tsx'
import styles from './conversations-view.module.css'
import { useConversations } from './use-conversations.ts'

/** All conversations, last written to first: which is live, full or broken. What is shown stands in the address. */
export function ConversationsView() {
  const navigate = useNavigate()
  const search = useSearch({ strict: false }) as ListSearch
  const { rows, read, amounts, hasMore, readMore } = useConversations(search)
  const { data: server } = useQuery(serverQuery)
  const scopes = server?.scopes ?? noScopes
  const go = useGo<ListSearch>()
  const showAll = () => go({ q: undefined, show: undefined, client: undefined })
  const { q = '' } = search
  const searchAll = () => void navigate({ to: '/search', search: { q } })
  const isFiltered =
    search.show !== undefined || search.client !== undefined || search.q !== undefined
  const talk = () => void navigate(viewAt('chat', newConversationName()))
  useTitle('Conversations')
  useKeys('Conversations', [
    ...(scopes.includes('chat') ? [{ keys: 'n', does: 'new conversation', run: talk }] : []),
    ...(scopes.includes('admin')
      ? [{ keys: 'i', does: 'import chats from files', run: chooseFiles }]
      : []),
    { keys: 'Escape', does: 'show all again', run: showAll },
  ])
  const more = hasMore ? '+' : ''
  return (
    <div className={`view ${styles.view}`}>
      <header className={`row gap-3 ${styles.head}`}>
        <h1 className="one-line">
          {isFiltered
            ? `${count(rows.length)} of ${count(read)}${more} conversations`
            : `${count(read)}${more} ${read === 1 ? 'conversation' : 'conversations'}`}
        </h1>
        {server?.store !== undefined && (
          <span className="cut fill slim muted broad-only">in {server.store}</span>
        )}
        <SearchField
          group="Conversations"
          does="filter; enter searches every message"
          className={styles.field}
          aria-label="Filter by name; enter searches every message"
          placeholder="Filter, or ↵ search every message"
          value={q}
          onChange={event => go({ q: event.target.value || undefined })}
          onKeyDown={event => {
            if (event.key === 'Enter' && q.trim() !== '') searchAll()
            else if (event.key === 'Escape') {
              go({ q: undefined })
              event.currentTarget.blur()
            }
          }}
        />
        {scopes.includes('admin') && (
          <Button className={styles.new} onClick={chooseFiles}>
            <FileInput size={16} aria-hidden />
            Import
          </Button>
        )}
        {scopes.includes('chat') && (
          <Button kind="primary" className={styles.new} onClick={talk}>
            <Plus size={16} aria-hidden />
            New
          </Button>
        )}
      </header>
      <div className={`row between gap-3 line-below ${styles.filters}`}>
        <fieldset className="flex gap-1 slim" aria-label="Which conversations">
          {[{ show: undefined, name: 'All', amount: read }, ...amounts.byKind]
            .filter(({ show, amount }) => amount > 0 || show === undefined || show === search.show)
            .map(({ show, name, amount }) => (
              <button
                key={name}
                type="button"
                className={filter}
                aria-pressed={show === search.show}
                onClick={() => go({ show: show === search.show ? undefined : show })}
              >
                {name} {count(amount)}
                {more}
              </button>
            ))}
        </fieldset>
        <ClientMenu
          clients={amounts.clients}
          chosen={search.client}
          onChoose={client => go({ client })}
        />
      </div>
      <ConversationTable
        rows={rows}
        scopes={scopes}
        hasMore={hasMore}
        onNearEnd={readMore}
        empty={
          <div className={`grid gap-3 soft ${styles.nothing}`} role="status">
            <p className="flex gap-2">
              {hasMore
                ? `Looked through ${amountOf(read, 'conversation')} so far…`
                : `None of ${amountOf(read, 'conversation')} is like that.`}
            </p>
            <p className="flex gap-2">
              <Button onClick={showAll}>Show all</Button>
              {q !== '' && <Button onClick={searchAll}>Search every message for it</Button>}
            </p>
          </div>
        }
      />
    </div>
  )
}

const filter =
  'inline gap-1 rigid soft chip-text one-line row-high padded-tight hovers inset round-2'

const noScopes: ServerInfo['scopes'] = []

interface ClientMenuProps {
  readonly clients: ReturnType<typeof useConversations>['amounts']['clients']
  readonly chosen: string | undefined
  readonly onChoose: (client: string | undefined) => void
}

function ClientMenu({ clients, chosen, onChoose }: ClientMenuProps) {
  if (clients.length < 2 && chosen === undefined) return null
  const name = clients.find(({ id }) => id === chosen)?.name ?? chosen
  return (
    <span className={`row rigid ${styles.clients}`}>
      <Menu.Root>
        <Menu.Trigger className={`${filter} ${styles.client}`} data-chosen={chosen !== undefined}>
          {name === undefined ? 'Any client' : <>From {name}</>}
          <ChevronDown size={14} aria-hidden />
        </Menu.Trigger>
        <MenuPopup align="end">
          {[{ id: undefined, name: 'Any client', amount: undefined }, ...clients].map(
            ({ id, name, amount }) => (
              <MenuItem
                key={id ?? ''}
                label={name}
                more={amount && count(amount)}
                isChosen={id === chosen}
                onClick={() => onChoose(id)}
              />
            ),
          )}
        </MenuPopup>
      </Menu.Root>
      {chosen !== undefined && (
        <Button kind="icon" aria-label="From any client" onClick={() => onChoose(undefined)}>
          <X size={14} aria-hidden />
        </Button>
      )}
    </span>
  )
}
