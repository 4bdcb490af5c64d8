import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check, LoaderCircle } from 'lucide-react'
import { useState } from 'react'
import { conversationsQuery, serverQuery } from '../api/queries.ts'
import { viewAt } from '../parts/address.ts'
import { Button } from '../parts/button.tsx'
import field from '../parts/field.module.css'
import { type FileOutcome, importFiles, importOutcomes } from '../parts/import-files.ts'
import { Notice } from '../parts/notice.tsx'
import { QueryState } from '../parts/query-state.tsx'
import styles from './home.module.css'
import { FirstVisit, lazyView } from './places.ts'

const ConversationsView = lazyView(
  () => import('../views/conversations/conversations-view.tsx'),
  'ConversationsView',
)

/** All conversations; while there are none, what to begin with. */
export function Home() {
  const conversations = useInfiniteQuery(conversationsQuery)
  return (
    <QueryState query={conversations}>
      {({ pages }) => (
        <ImportArea>
          {pages.every(page => page.conversations.length === 0) ? (
            <FirstVisit isEmpty />
          ) : (
            <ConversationsView />
          )}
        </ImportArea>
      )}
    </QueryState>
  )
}
Home.preload = () => ConversationsView.preload?.()

/** A place on which files of chats can be dropped. Above its contents it says what became of them. */
export function ImportArea({ children }: { readonly children: React.ReactNode }) {
  const { data: server } = useQuery(serverQuery)
  const isAllowed = server?.scopes.includes('admin') ?? false
  const [isOver, setOver] = useState(false)
  const withFiles = (event: React.DragEvent, run: () => void) => {
    if (!isAllowed || !event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    run()
  }
  return (
    <section
      className={`column low tall relative ${styles.area}`}
      aria-label="Conversations"
      onDragOver={event => withFiles(event, () => setOver(true))}
      onDragLeave={event => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={event =>
        withFiles(event, () => {
          setOver(false)
          void importFiles([...event.dataTransfer.files])
        })
      }
    >
      <Outcomes />
      {children}
      {isOver && (
        <div className={`centred absolute on-panel through round-2 ${styles.over}`}>
          <p className="grid gap-2 to-middle">
            <b>Drop to bring these chats in</b>
            <span className="soft">
              ChatGPT, Claude, Open WebUI, LibreChat, Claude Code, Codex, SillyTavern, lists of
              messages, exports
            </span>
          </p>
        </div>
      )}
    </section>
  )
}

function Outcomes() {
  const { data: server } = useQuery(serverQuery)
  const outcomes = importOutcomes.use()
  if (outcomes.length === 0) return null
  // Recall across conversations needs the person of the chats, and the server does not know it.
  const asksWhose = server?.remember === 'person' && server.person === undefined
  const isRunning = outcomes.some(({ state }) => state === 'running')
  const taken = outcomes.flatMap(({ state, source }) => (state === 'taken' ? [source] : []))
  return (
    <div className={`flex gap-3 rigid scrolls-down padded on-panel line-below ${styles.outcomes}`}>
      <div className="grid single gap-3 fill slim">
        <ul className="grid single gap-2">
          {outcomes.map(outcome => (
            <li key={outcome.file}>
              <Outcome {...outcome} />
            </li>
          ))}
        </ul>
        {asksWhose && !isRunning && taken.length > 0 && <Whose files={taken} />}
      </div>
      <Button
        why={isRunning ? 'The import is under way.' : undefined}
        onClick={() => importOutcomes.set([])}
      >
        Close
      </Button>
    </div>
  )
}

/** Says whose the chats of files are: without a person, no other conversation brings them back. */
function Whose({ files }: { readonly files: readonly File[] }) {
  return (
    <form
      className={`row wraps gap-2 ${styles.whose}`}
      action={form => void importFiles(files, String(form.get('person')).trim())}
    >
      <label className="muted caption" htmlFor="person">
        Whose chats are these? Then this person’s other conversations can quote them.
      </label>
      <input
        id="person"
        name="person"
        className={field.input}
        placeholder="their name in requests, such as ada"
        required
        pattern=".*\S.*"
      />
      <Button type="submit">Remember</Button>
    </form>
  )
}

function Outcome({ file, state, text, conversation }: FileOutcome) {
  const icon =
    state === 'running' ? (
      <LoaderCircle size={16} className="rigid muted turning" aria-label="Under way" />
    ) : (
      <Check size={16} className="rigid accent" aria-hidden />
    )
  return (
    <Notice kind={state === 'refused' ? 'danger' : 'plain'} icon={icon}>
      <b>{file}</b> {text}
      {conversation !== undefined && (
        <>
          {' '}
          <Link {...viewAt('chat', conversation)}>Open it</Link>
        </>
      )}
    </Notice>
  )
}
