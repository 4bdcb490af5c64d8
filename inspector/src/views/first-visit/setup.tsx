import { Bot, CircleAlert, History } from 'lucide-react'
import type { ServerInfo } from '../../api/routes.ts'
import { CopyButton } from '../../parts/button.tsx'
import { count } from '../../parts/format.ts'
import styles from './setup.module.css'

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
          <summary>{more}</summary>
          <dl>
            {ways.map(({ name, line }) => (
              <div key={line}>
                <dt>{name}</dt>
                <dd>
                  <code>{line}</code>
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

/** Which model answers, why this one, and how to have another. */
export function AnsweringModel({ server: { upstream, models, model } }: { readonly server: ServerInfo }) {
  const { kind, address, why } = upstream
  const isSilent = models.length === 0
  const others = models.length - 1
  return (
    <Setup
      label="The model that answers"
      icon={
        isSilent ? (
          <CircleAlert size={16} className={styles.alert} aria-hidden />
        ) : (
          <Bot size={16} aria-hidden />
        )
      }
      more="Use another model"
      ways={modelWays}
    >
      {kind === 'reader' ? (
        <>
          The built-in <b className="clear">reader</b> answers: it quotes what it was sent, and has no
          opinions. {why && <span className="muted">{why}</span>}
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
  { name: 'llama.cpp, vLLM, LM Studio', line: 'throughline serve --upstream http://127.0.0.1:8080' },
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
          A message also brings back what the same person said in <b className="clear">other conversations</b>
          : a new chat can answer from an old one
          {person === undefined
            ? ', if its requests say who speaks.'
            : `. Where nobody is named, ${person} speaks.`}
        </>
      ) : (
        <>
          A message brings back only what <b className="clear">its own conversation</b> has: a new chat knows
          nothing of the others.
        </>
      )}
    </Setup>
  )
}
