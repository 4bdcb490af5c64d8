import { History } from 'lucide-react'
import type { Answer } from '../../api/routes.ts'
import styles from './answering-model.module.css'
import { Way } from './way.tsx'

const whoSpeaks = 'Requests then say who speaks: by the header x-throughline-person, the field user, or a key'

/** What a message may bring back, what that means, and how to have it otherwise. */
export function Remembering({ remember }: Pick<Answer<'get /server'>, 'remember'>) {
  const isPerson = remember === 'person'
  const line = `throughline serve --remember ${isPerson ? 'conversation' : 'person'}`
  return (
    <section className={styles.model} aria-label="What messages bring back">
      <History size={16} aria-hidden />
      <div>
        {isPerson ? (
          <p>
            A message also brings back what the same person said in <b>other conversations</b>: a new chat can
            answer from an old one, if its requests say who speaks.
          </p>
        ) : (
          <p>
            A message brings back only what <b>its own conversation</b> has: a new chat knows nothing of the
            others.
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
