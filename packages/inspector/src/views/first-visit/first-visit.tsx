import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  Bot,
  ChevronRight,
  CircleAlert,
  FileInput,
  FlaskConical,
  History,
  LoaderCircle,
  MessageSquare,
  Plus,
} from 'lucide-react'
import { ask, type ServerInfo } from '../../api/client.ts'
import { serverQuery } from '../../api/queries.ts'
import { viewAt } from '../../parts/address.ts'
import { CopyButton } from '../../parts/button.tsx'
import { count, newConversationName } from '../../parts/format.ts'
import { chooseFiles } from '../../parts/import-files.ts'
import { TenantChoice } from '../../parts/key-field.tsx'
import { notify } from '../../parts/notify.ts'
import { QueryState } from '../../parts/query-state.tsx'
import { useSampleExperiment } from '../../parts/use-open-started.ts'
import { Connect } from './connect.tsx'
import styles from './first-visit.module.css'
import { SamplePicture } from './sample-picture.tsx'
import { TryCards } from './try-cards.tsx'

/** What a server without conversations shows: samples to look at, and how to point clients to it. */
export function FirstVisit({ isEmpty = false }: { readonly isEmpty?: boolean }) {
  const server = useQuery(serverQuery)
  return (
    <QueryState query={server}>
      {data => (
        <div className={`centred on-panel ${styles.place}`}>
          <div className={`grid middle ${styles.page}`}>
            <section className={`slim ${styles.start}`}>
              <h1>See what the model saw, and why it forgot</h1>
              <p className={`soft ${styles.lead}`}>
                Every message of a conversation, what became of it in each call, and the reason.
                {isEmpty && ' There is nothing here yet.'}
              </p>
              {isEmpty && data.tenants.length > 1 && (
                <p>
                  Other tenants have conversations: <TenantChoice server={data} />
                </p>
              )}
              {data.plugs.includes('gallery') && <TryCards />}
              <Starts {...data} />
              <h2 className={`row gap-3 muted text-12 ${styles.or}`}>
                or send your own application through it
              </h2>
              <Connect server={data} isWaiting={isEmpty} />
              <AnsweringModel server={data} />
            </section>
            <div>
              <SamplePicture />
              <Remembering {...data} />
            </div>
          </div>
        </div>
      )}
    </QueryState>
  )
}

/** Four ways to begin: a conversation to look at, an experiment to watch, chats from elsewhere, a new conversation. */
export function Starts({ scopes, plugs }: Pick<ServerInfo, 'scopes' | 'plugs'>) {
  const navigate = useNavigate()
  const conversation = useMutation({
    mutationFn: () => ask('post /samples/conversation', {}),
    onSuccess: ({ conversation }) => navigate(viewAt('context', conversation)),
    onError: error => notify(error.message, 'danger'),
  })
  const experiment = useSampleExperiment()
  const all = [
    {
      title: 'Open the sample conversation',
      about: 'A project chat of 168 turns in a window of 4,096 tokens',
      icon: <MessageSquare size={16} aria-hidden />,
      scope: 'chat',
      isBusy: conversation.isPending,
      run: () => conversation.mutate(),
    },
    {
      title: 'Run the lemonade stand',
      about: 'An experiment: three roles, at most 30 steps, half a second',
      icon: <FlaskConical size={16} aria-hidden />,
      scope: 'admin',
      plug: 'experiments',
      isBusy: experiment.isPending,
      run: () => experiment.mutate(),
    },
    {
      title: 'Bring your chats',
      about: 'Files of ChatGPT, Claude, Open WebUI and others: choose them, or drop them here',
      icon: <FileInput size={16} aria-hidden />,
      scope: 'admin',
      run: chooseFiles,
    },
    {
      title: 'Start a conversation',
      about: 'Talk, and watch the window fill',
      icon: <Plus size={16} aria-hidden />,
      scope: 'chat',
      run: () => void navigate(viewAt('chat', newConversationName())),
    },
  ]
  const starts = all.filter(({ plug }) => plug === undefined || plugs.includes(plug))
  return (
    <ul className={`grid gap-2 ${styles.starts}`}>
      {starts.map(({ title, about, icon, scope, isBusy, run }) => {
        const mayNot = !scopes.some(one => one === scope)
        return (
          <li key={title}>
            <button type="button" disabled={mayNot || isBusy} onClick={run}>
              <span className={`centred soft on-sunken ${styles.icon}`}>{icon}</span>
              <span>
                <b className="block clear">{title}</b>
                <span className="block text-12-18">
                  {mayNot ? `This key may not: it needs the scope ${scope}` : about}
                </span>
              </span>
              {isBusy ? (
                <LoaderCircle size={16} className="turning" aria-label="Under way" />
              ) : (
                <ChevronRight size={16} aria-hidden />
              )}
            </button>
          </li>
        )
      })}
    </ul>
  )
}

interface SetupProps {
  readonly label: string
  readonly icon: React.ReactNode
  readonly children: React.ReactNode
  /** How to have it otherwise, and the lines that start the server so. */
  readonly more: string
  readonly ways: readonly { readonly name: string; readonly line: string }[]
}

function Setup({ label, icon, children, more, ways }: SetupProps) {
  return (
    <section className={styles.model} aria-label={label}>
      {icon}
      <div>
        <p>{children}</p>
        <details>
          <summary className="accent">{more}</summary>
          <dl className="grid gap-2 space-above-2">
            {ways.map(({ name, line }) => (
              <div key={line}>
                <dt>{name}</dt>
                <dd className="row between gap-2 on-sunken framed round-2">
                  <code className="slim code clear breaks">{line}</code>
                  <CopyButton text={line} />
                </dd>
              </div>
            ))}
          </dl>
        </details>
      </div>
    </section>
  )
}

export function AnsweringModel({
  server: { upstream, models, model },
}: {
  readonly server: ServerInfo
}) {
  const { kind, address, why } = upstream
  const isSilent = models.length === 0
  const others = models.length - 1
  return (
    <Setup
      label="The model that answers"
      icon={
        isSilent ? (
          <CircleAlert size={16} color="var(--danger)" aria-hidden />
        ) : (
          <Bot size={16} aria-hidden />
        )
      }
      more="Use another model"
      ways={modelWays}
    >
      {kind === 'reader' ? (
        <>
          The built-in <b className="clear">reader</b> answers: it quotes what it was sent, and has
          no opinions. {why && <span className="muted">{why}</span>}
        </>
      ) : isSilent ? (
        <>
          {names[kind] ?? kind} {address && <>at {address} </>}has no model that answers now. {why}
        </>
      ) : (
        <>
          <b className="clear">{model}</b> answers
          {others > 0 && `, and ${count(others)} more can be asked for`}, by {names[kind] ?? kind}
          {address && <> at {address}</>}.
        </>
      )}
    </Setup>
  )
}

const names: Readonly<Record<string, string>> = {
  ollama: 'Ollama',
  openai: 'a server that speaks like OpenAI’s',
  several: 'several model servers',
}

const modelWays = [
  { name: 'Ollama on this machine: start it, then this server', line: 'throughline serve' },
  { name: 'Ollama elsewhere', line: 'throughline serve --upstream http://HOST:11434' },
  {
    name: 'llama.cpp, vLLM, LM Studio',
    line: 'throughline serve --upstream http://127.0.0.1:8080',
  },
  { name: 'A hosted model', line: 'throughline serve --upstream https://HOST --upstream-key KEY' },
]

const whoSpeaks =
  'Who speaks: --person where one person uses this server; for several, the header x-throughline-person, the field user, or a key'

/** What a message may bring back, what that means, and how to have it otherwise. */
export function Remembering({ remember, person }: Pick<ServerInfo, 'remember' | 'person'>) {
  const isPerson = remember === 'person'
  const line = `throughline serve --remember ${isPerson ? 'conversation' : 'person --person me'}`
  return (
    <Setup
      label="What messages bring back"
      icon={<History size={16} aria-hidden />}
      more={isPerson ? 'Keep conversations apart' : 'Remember across conversations'}
      ways={[{ name: isPerson ? 'Each conversation by itself' : whoSpeaks, line }]}
    >
      {isPerson ? (
        <>
          A message also brings back what the same person said in{' '}
          <b className="clear">other conversations</b>: a new chat can answer from an old one
          {person === undefined
            ? ', if its requests say who speaks.'
            : `. Where nobody is named, ${person} speaks.`}
        </>
      ) : (
        <>
          A message brings back only what <b className="clear">its own conversation</b> has: a new
          chat knows nothing of the others.
        </>
      )}
    </Setup>
  )
}
