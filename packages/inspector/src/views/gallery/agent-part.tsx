import type { AgentDrawing, ApplicationState } from '../../api/gallery-queries.ts'
import { Button } from '../../parts/button.tsx'
import { AgentFlow } from './agent-flow.tsx'
import styles from './agent-part.module.css'
import { Talk } from './talk.tsx'
import type { Saying } from './use-saying.ts'

interface AgentPartProps {
  readonly drawing: AgentDrawing
  readonly state: ApplicationState
  readonly saying: Saying
}

/** What was said, what would be created, and how the state passes through the log between two instances. */
export function AgentPart({ drawing, state, saying }: AgentPartProps) {
  const { acts } = drawing
  return (
    <div className={`grid ${styles.both}`}>
      <section className={`grid single from-top gap-3 ${styles.left}`} aria-label="Conversation">
        <Talk
          said={state.said}
          live={saying.live}
          below={turn => {
            const act = acts.find(one => one.turn === turn)
            return act && <p className="muted text-12">instance {act.instance}</p>
          }}
          empty="Name a page: “Plan a test for https://shop.example/checkout”. It finds ideas, makes variants and shows what it would create. It creates nothing before a whole yes."
        />
        {!saying.live && <Ideas {...{ drawing, state, saying }} />}
        {!saying.live && <Preview {...{ drawing, state, saying }} />}
      </section>
      <section
        className={`grid single from-top gap-3 ${styles.right}`}
        aria-label="Two instances and the log"
      >
        <h2 className="subheading">
          Two instances that keep nothing{' '}
          <span className="muted light text-12">
            each message is answered by the other one, made anew
          </span>
        </h2>
        <AgentFlow acts={acts} />
        <States states={drawing.states} />
      </section>
    </div>
  )
}

const ordinals = ['first', 'second', 'third']

function Ideas({ drawing: { ideas, preview }, saying }: AgentPartProps) {
  if (ideas.length === 0 || preview) return null
  return (
    <ol className="grid single gap-2" aria-label="Ideas">
      {ideas.map(({ title, isChosen }, at) => (
        <li key={title}>
          <button
            type="button"
            className={`wide hovers outlined round-2 ${styles.idea}`}
            aria-pressed={isChosen}
            onClick={() => void saying.say(`use the ${ordinals[at]} idea`)}
          >
            {at + 1}. {title}
          </button>
        </li>
      ))}
    </ol>
  )
}

function Preview({ drawing: { preview, experiment }, saying }: AgentPartProps) {
  if (!preview) return null
  const { url, title, variants, confirm } = preview
  return (
    <div className="grid single gap-3 framed round-3">
      <p className={`flex wraps between gap-2 line-below ${styles.previewHead}`}>
        <b>{experiment === undefined ? 'What would be created' : 'What was created'}</b>
        <span className={`chip-text ${styles.stage}`} data-created={experiment !== undefined}>
          {experiment ?? 'nothing is created yet'}
        </span>
      </p>
      <div className={`grid single gap-3 ${styles.previewBody}`}>
        <p>
          {title} <code className="block muted small-code breaks">{url}</code>
        </p>
        <ul className={`grid gap-2 ${styles.variants}`}>
          {variants.map(({ label, text, percent }) => (
            <li key={label} className="grid gap-1 to-middle framed round-2">
              <b className="breaks">{text}</b>
              <span>{percent} %</span>
              <span className="muted text-12">{label}</span>
            </li>
          ))}
        </ul>
        {confirm !== undefined && (
          <Button kind="primary" onClick={() => void saying.say(confirm)}>
            Create this experiment
          </Button>
        )}
      </div>
    </div>
  )
}

function States({ states }: Pick<AgentDrawing, 'states'>) {
  return (
    <div className="grid single gap-2">
      <h2 className="subheading">
        State{' '}
        <span className="muted light text-12">
          read from the whole log, never from a cut context
        </span>
      </h2>
      <div className="scrolls">
        <table className={`table ${styles.states}`}>
          <thead>
            <tr>
              {['State', 'Value', 'Found in'].map(name => (
                <th key={name}>{name}</th>
              ))}
              <th className="wide-only">By the name of</th>
            </tr>
          </thead>
          <tbody>
            {states.map(({ name, value, seq, turn, tool }) => (
              <tr key={name}>
                <td>
                  <b>{name}</b>
                </td>
                <td className="breaks">{value ?? <span className="muted">none</span>}</td>
                <td className="one-line">
                  {seq === undefined ? 'not in the log' : `#${seq}, turn ${turn}`}
                </td>
                <td className="wide-only">
                  <code className="small-code">{tool}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}
