import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { ApplicationState, SiteDrawing } from '../../api/gallery-queries.ts'
import { Button } from '../../parts/button.tsx'
import { amountOf, count } from '../../parts/format.ts'
import { Segments } from '../../parts/segments.tsx'
import { SiteFrame } from './site-frame.tsx'
import styles from './site-part.module.css'
import { Talk } from './talk.tsx'
import type { Saying } from './use-saying.ts'

interface SitePartProps {
  readonly drawing: SiteDrawing
  readonly state: ApplicationState
  readonly saying: Saying
}

/** The site as it is now, its files, and what was said, with the notes of the agent. */
export function SitePart({ drawing, state, saying }: SitePartProps) {
  const { files, pages, waits } = drawing
  const [chosen, setChosen] = useState('index.html')
  const page = pages.find(({ path }) => path === chosen) ?? pages[0]
  return (
    <div className={`grid ${styles.both}`}>
      <section className={`grid single from-top gap-3 ${styles.left}`} aria-label="The site">
        <div className={styles.preview}>
          <SiteFrame html={page?.html ?? ''} title={`Preview of ${page?.title ?? 'the site'}`} />
        </div>
        <div className={`scrolls ${styles.pages}`}>
          <Segments
            label="Page in the preview"
            value={page?.path}
            choices={Object.fromEntries(
              pages.map(({ path }) => [path, path.replace(/\.html$/, '')]),
            )}
            onChoose={setChosen}
          />
        </div>
        <h2 className="subheading">
          The site <span className="muted light text-12">{amountOf(files.length, 'file')}</span>
        </h2>
        <ul>
          {files.map(({ path, characters, turns }) => (
            <li key={path} className={`grid middle gap-2 text-12-18 line-below ${styles.file}`}>
              <b className="cut">{path}</b>
              <span className="muted to-right">{count(characters)}</span>
              <span className={`to-right ${styles.turns}`}>
                {turns.length > 0 && `turn ${turns.slice(-3).join(', ')}`}
              </span>
            </li>
          ))}
        </ul>
      </section>
      <section className={`grid single from-top gap-3 ${styles.right}`} aria-label="Conversation">
        <p className="muted text-12-18">
          Notes stand beside the replies for you, who look at this as its developer. A user of the
          application never sees one; the model reads them in its next prompt.
        </p>
        <Talk
          said={state.said}
          live={saying.live}
          empty="Say what the site should be: “change the title to Blue Door”. Every change leaves a note, and is taken back with Undo."
        />
        {waits !== undefined && !saying.live && (
          <div className={`grid single gap-3 round-3 ${styles.ask}`} role="alert">
            <p className="flex gap-2">
              <TriangleAlert size={16} aria-hidden /> <b>This would throw text away</b>
            </p>
            <p className="breaks">{waits}.</p>
            <p className="flex wraps gap-2">
              <Button kind="primary" onClick={() => void saying.say('keep it as it is')}>
                Keep the page
              </Button>
              <Button kind="danger" onClick={() => void saying.say('write it anyway')}>
                Write it anyway
              </Button>
            </p>
          </div>
        )}
      </section>
    </div>
  )
}
