import { History } from 'lucide-react'
import type { ServerInfo } from '../../api/routes.ts'
import styles from './answering-model.module.css'
import { Way } from './way.tsx'

const whoSpeaks =
  'Who speaks: --person where one person uses this server; for several, the header x-throughline-person, the field user, or a key'

/** What a message may bring back, what that means, and how to have it otherwise. */
export function Remembering({ remember, person }: Pick<ServerInfo, 'remember' | 'person'>) {
  const isPerson = remember === 'person'
  const line = `throughline serve --remember ${isPerson ? 'conversation' : 'person --person me'}`
  return (
    <section className={styles.model} aria-label="What messages bring back">
      <History size={16} aria-hidden />
      <div>
        {isPerson ? (
          <p>
            A message also brings back what the same person said in{' '}
            <b className="clear">other conversations</b>: a new chat can answer from an old one
            {person === undefined
              ? ', if its requests say who speaks.'
              : `. Where nobody is named, ${person} speaks.`}
          </p>
        ) : (
          <p>
            A message brings back only what <b className="clear">its own conversation</b> has: a new chat
            knows nothing of the others.
          </p>
        )}
        <details>
          <summary>{isPerson ? 'Keep conversations apart' : 'Remember across conversations'}</summary>
          <dl>
            <Way name={isPerson ? 'Each conversation by itself' : whoSpeaks} line={line} />
          </dl>
        </details>
      </div>
    </section>
  )
}
