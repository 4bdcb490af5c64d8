import { Bot, CircleAlert } from 'lucide-react'
import type { ServerInfo } from '../../api/routes.ts'
import { count } from '../../parts/format.ts'
import styles from './answering-model.module.css'
import { Way } from './way.tsx'

/** Which model answers, why this one, and how to have another. */
export function AnsweringModel({ server }: { readonly server: ServerInfo }) {
  const { upstream, models } = server
  const isReader = upstream.kind === 'reader'
  const isSilent = models.length === 0
  return (
    <section className={styles.model} aria-label="The model that answers">
      {isSilent ? (
        <CircleAlert size={16} className={styles.alert} aria-hidden />
      ) : (
        <Bot size={16} aria-hidden />
      )}
      <div>
        {isReader ? (
          <p>
            The built-in <b className="clear">reader</b> answers: it quotes what it was sent, and has no
            opinions. {upstream.why && <span className="muted">{upstream.why}</span>}
          </p>
        ) : isSilent ? (
          <p>
            {nameOf(upstream.kind)} {upstream.address && <>at {upstream.address} </>}has no model that answers
            now. {upstream.why}
          </p>
        ) : (
          <p>
            <b className="clear">{server.model}</b> answers{others(models.length - 1)}, by{' '}
            {nameOf(upstream.kind)}
            {upstream.address && <> at {upstream.address}</>}.
          </p>
        )}
        <details>
          <summary>Use another model</summary>
          <dl>
            {ways.map(way => (
              <Way key={way.line} {...way} />
            ))}
          </dl>
        </details>
      </div>
    </section>
  )
}

const others = (amount: number) => (amount === 0 ? '' : `, and ${count(amount)} more can be asked for`)

const names: Readonly<Record<string, string>> = {
  ollama: 'Ollama',
  openai: 'a server that speaks like OpenAI’s',
  several: 'several model servers',
}
const nameOf = (kind: string) => names[kind] ?? kind

const ways = [
  { name: 'Ollama on this machine: start it, then this server', line: 'throughline serve' },
  { name: 'Ollama elsewhere', line: 'throughline serve --upstream http://HOST:11434' },
  { name: 'llama.cpp, vLLM, LM Studio', line: 'throughline serve --upstream http://127.0.0.1:8080' },
  { name: 'A hosted model', line: 'throughline serve --upstream https://HOST --upstream-key KEY' },
]
