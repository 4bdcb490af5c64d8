import { useMutation, useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { RefreshCw, Undo2 } from 'lucide-react'
import { ask } from '../../api/client.ts'
import {
  type ApplicationInfo,
  type ApplicationState,
  applicationQuery,
  galleryQuery,
} from '../../api/gallery-queries.ts'
import { serverQuery } from '../../api/queries.ts'
import { type GallerySearch, useGo } from '../../parts/address.ts'
import { Button } from '../../parts/button.tsx'
import { ChoiceMenu } from '../../parts/menu-popup.tsx'
import { notify } from '../../parts/notify.ts'
import { EmptyState, QueryState } from '../../parts/query-state.tsx'
import { AgentPart } from './agent-part.tsx'
import styles from './application-view.module.css'
import { LampPart } from './lamp-part.tsx'
import { LiveContext } from './live-context.tsx'
import { SayBox } from './say-box.tsx'
import { SitePart } from './site-part.tsx'
import { useSaying } from './use-saying.ts'
import { WaysPart } from './ways-part.tsx'

/** An application, and beside it what its model was sent. */
export function ApplicationView() {
  const { application = '' } = useParams({ strict: false })
  const query = useQuery(galleryQuery)
  return (
    <QueryState query={query}>
      {all => {
        const info = all.find(({ name }) => name === application)
        if (info) return <Opened {...info} />
        return (
          <EmptyState title="There is no such application">
            The list has those that there are.
          </EmptyState>
        )
      }}
    </QueryState>
  )
}

function Opened(info: ApplicationInfo) {
  const { name, title, about, problem } = info
  const search = useSearch({ strict: false }) as GallerySearch
  const go = useGo<GallerySearch>()
  const conversation = search.conversation ?? info.conversation
  const query = useQuery(applicationQuery(name, conversation, search.model))
  const saying = useSaying(name, conversation, search.model)
  const again = useMutation({
    mutationFn: () => ask('post /gallery/:application/begin', { params: { application: name } }),
    onSuccess: begun => go({ conversation: begun.conversation }),
    onError: error => notify(error.message, 'danger'),
  })
  const busy = saying.live ? 'It is answering: wait, or stop it.' : undefined
  return (
    <QueryState query={query}>
      {state => (
        <div className={`grid ${styles.page}`}>
          <div className={`grid single slim on-panel framed round-3 ${styles.app}`}>
            <header className={`flex wraps middle gap-3 line-below ${styles.head}`}>
              <div className="fill slim">
                <h1>{title}</h1>
                <p className="soft">
                  {about} <span className="muted">{problem}</span>
                </p>
              </div>
              {state.undo !== undefined && (
                <Button why={busy} onClick={() => void saying.say(state.undo!)}>
                  <Undo2 size={14} aria-hidden /> Undo
                </Button>
              )}
              <Button
                why={busy ?? (state.said.length === 0 ? 'Nothing was said here yet.' : undefined)}
                onClick={() => again.mutate()}
              >
                <RefreshCw size={14} aria-hidden /> Start over
              </Button>
              <Answering model={state.model} onChoose={model => go({ model })} />
            </header>
            <Part {...{ state, saying }} />
            <SayBox {...{ title, state, saying }} />
          </div>
          <LiveContext conversation={conversation} isBegun={state.said.length > 0} />
        </div>
      )}
    </QueryState>
  )
}

interface PartProps {
  readonly state: ApplicationState
  readonly saying: ReturnType<typeof useSaying>
}

function Part({ state, saying }: PartProps) {
  const { drawing } = state
  switch (drawing.kind) {
    case 'lamp':
      return <LampPart {...{ drawing, state, saying }} />
    case 'site':
      return <SitePart {...{ drawing, state, saying }} />
    case 'agent':
      return <AgentPart {...{ drawing, state, saying }} />
    case 'ways':
      return <WaysPart {...{ drawing, state, saying }} />
  }
}

/** Who answers: rules, which are no language model, or a model of the server. */
function Answering({
  model,
  onChoose,
}: {
  readonly model: string
  readonly onChoose: (model: string) => void
}) {
  const { data: server } = useQuery(serverQuery)
  const models =
    server?.upstream.kind === 'reader' ? [] : (server?.models.map(({ name }) => name) ?? [])
  if (models.length === 0)
    return (
      <span className={`chip ${styles.rules}`}>
        rules <span className="muted">no AI</span>
      </span>
    )
  return (
    <ChoiceMenu
      text={model === 'rules' ? 'rules, no AI' : model}
      value={model}
      choices={['rules', ...models].map(value => ({
        value,
        label: value === 'rules' ? 'rules, no AI' : value,
      }))}
      onChoose={onChoose}
    />
  )
}
