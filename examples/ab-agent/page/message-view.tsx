import { getToolName, isToolUIPart } from 'ai'
import type { Message, Part, Preview } from './message.ts'

export interface MessageViewProps {
  readonly message: Message
  /** Sends an answer of the user; absent where there is nothing to answer. */
  readonly onReply: ((text: string) => void) | undefined
}

export function MessageView({ message, onReply }: MessageViewProps) {
  const { role, parts, metadata } = message
  const context = parts.find(part => part.type === 'data-context')?.data
  return (
    <article data-role={role} aria-label={role === 'user' ? 'You' : 'The agent'}>
      {parts.map((part, at) => (
        // Parts are only added: a part keeps its place.
        <PartView key={at} part={part} />
      ))}
      {onReply && isAskingFor(parts) && (
        <p className="confirm">
          <button
            type="button"
            className="main"
            onClick={() => onReply('Yes, create the experiment.')}
          >
            Yes, create the experiment
          </button>
          <button type="button" onClick={() => onReply('No, leave it.')}>
            No, leave it
          </button>
        </p>
      )}
      {metadata?.instance && (
        <footer>
          Answered by instance {metadata.instance}, process {metadata.pid} · model: {metadata.model}
          {context && ` · it was sent ${context.tokens} tokens`}
        </footer>
      )}
    </article>
  )
}

/** Whether the agent has shown a preview and created nothing: the user is asked to confirm it. */
const isAskingFor = (parts: readonly Part[]) =>
  parts.some(({ type }) => type === 'tool-preview_experiment') &&
  !parts.some(part => part.type === 'tool-create_experiment' && part.state === 'output-available')

function PartView({ part }: { readonly part: Part }) {
  if (part.type === 'text') return <p className="text">{part.text}</p>
  if (!isToolUIPart(part)) return null
  const result = part.state === 'output-available' ? part.output : undefined
  return (
    <section className="tool" data-state={part.state}>
      <p>
        <span aria-hidden="true">{marks[part.state] ?? '…'}</span> <code>{getToolName(part)}</code>{' '}
        {part.state === 'output-error' && <span className="refused">{part.errorText}</span>}
      </p>
      <Result part={part} />
      {result !== undefined && (
        <details>
          <summary>The result, as the next tool finds it in the conversation</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and must do so by keyboard too */}
          <pre tabIndex={0}>{JSON.stringify(result, undefined, 2)}</pre>
        </details>
      )}
    </section>
  )
}

const marks: Readonly<Record<string, string>> = { 'output-available': '✓', 'output-error': '✕' }

/** What a tool made, for people. */
function Result({ part }: { readonly part: Part }) {
  if (!('state' in part) || part.state !== 'output-available') return null
  switch (part.type) {
    case 'tool-generate_hypotheses':
      return (
        <ol>
          {part.output.hypotheses.map(({ title }) => (
            <li key={title}>{title}</li>
          ))}
        </ol>
      )
    case 'tool-generate_variants':
      return (
        <ul>
          {part.output.variants.map(({ label, text, jobId }) => (
            <li key={jobId}>
              {label}: “{text}” <code>{jobId}</code>
            </li>
          ))}
        </ul>
      )
    case 'tool-preview_experiment':
      return <PreviewView {...part.output} />
    case 'tool-create_experiment':
      return (
        <p className="created">
          <strong>{part.output.experimentId}</strong> {part.output.status}, on {part.output.url}
        </p>
      )
    default:
      return null
  }
}

function PreviewView({ url, title, variants }: Preview) {
  return (
    <figure>
      <figcaption>
        <strong>{title}</strong> on {url}
      </figcaption>
      <ul className="previews">
        {variants.map(({ label, text, percent }) => (
          <li key={label}>
            <span className="page" aria-hidden="true">
              <i />
              <i />
              <b>{text}</b>
            </span>
            <span>
              {label}: “{text}”
            </span>
            <small>{percent} % of the visitors</small>
          </li>
        ))}
      </ul>
    </figure>
  )
}
