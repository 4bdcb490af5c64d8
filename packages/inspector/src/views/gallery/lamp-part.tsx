import type { ApplicationState, LampDrawing, SentAs } from '../../api/gallery-queries.ts'
import { Button } from '../../parts/button.tsx'
import { count } from '../../parts/format.ts'
import { toPartSegments } from '../../parts/sent-rows.ts'
import { WindowBar } from '../../parts/window-bar.tsx'
import { LampCanvas } from './lamp-canvas.tsx'
import styles from './lamp-part.module.css'
import { Talk } from './talk.tsx'
import type { Saying } from './use-saying.ts'

interface LampPartProps {
  readonly drawing: LampDrawing
  readonly state: ApplicationState
  readonly saying: Saying
}

/** The lamp, its exchanges as the next request sends them, and the same exchanges under other policies. */
export function LampPart({ drawing, state, saying }: LampPartProps) {
  const { program, summary, exchanges } = drawing
  const { live } = saying
  const last = state.said.slice(-2)
  return (
    <>
      <div className={`grid ${styles.both}`}>
        <section className={`grid single from-top gap-2 ${styles.left}`} aria-label="The lamp">
          <LampCanvas program={program} label={summary ?? 'The lamp is dark: nothing plays yet'} />
          <p className="soft text-12-18 breaks">{summary ?? 'Nothing plays yet.'}</p>
        </section>
        <section className={`grid single from-top gap-3 ${styles.right}`} aria-label="Exchanges">
          {exchanges.length > 0 && <Exchanges {...drawing} />}
          <Talk
            said={last}
            live={live}
            empty="Say what it should do: “a thunderstorm”, “blue waves”. Then say what should be different. Older exchanges will be sent as one line each, and the newest program always whole."
          />
        </section>
      </div>
      <Ways {...{ drawing, state, saying }} />
    </>
  )
}

const tierNames: Readonly<Record<SentAs, string>> = {
  whole: 'whole',
  line: 'one line',
  question: 'without its program',
  gone: 'not sent',
}

function Exchanges({ exchanges }: LampDrawing) {
  return (
    <div className="grid single gap-2">
      <h2 className="subheading">
        {exchanges.length === 1 ? 'One exchange' : `${exchanges.length} exchanges`}{' '}
        <span className="muted light text-12">as the next request sends them</span>
      </h2>
      <ol
        className={`scrolls-down thin-bar ${styles.exchanges}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys too
        tabIndex={0}
        aria-label="Exchanges, oldest first"
      >
        {exchanges.map(({ asked, answer, colours, tokens, sentAs }, at) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: exchanges are only added at the end
            key={at}
            className={`grid middle gap-2 text-12 ${styles.exchange}`}
            data-sent={sentAs}
          >
            <span className="muted to-right">{at + 1}</span>
            <span className="cut">
              <b>{asked}</b> <span className="muted">→ {answer}</span>
            </span>
            <span className={`flex ${styles.colours}`} aria-hidden="true">
              {colours.slice(0, 6).map((colour, step) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a program have no names
                <Swatch key={step} colour={colour} />
              ))}
            </span>
            <span className={`to-right one-line ${styles.tier}`}>{tierNames[sentAs]}</span>
            <span className="muted to-right">{count(tokens)}</span>
          </li>
        ))}
      </ol>
    </div>
  )
}

const Swatch = ({ colour }: { readonly colour: string }) => (
  <svg width="7" height="11" viewBox="0 0 7 11" aria-hidden="true">
    <rect width="7" height="11" rx="1.5" fill={colour} stroke="var(--line-2)" />
  </svg>
)

/** The budget as a table that lives: what each way would send of the same exchanges. */
function Ways({ drawing, state, saying }: LampPartProps) {
  const { ways, window, reserve, margin } = drawing
  const { live, say } = saying
  return (
    <section
      className={`grid single gap-3 line-above ${styles.ways}`}
      aria-label="The same exchanges, three ways"
    >
      <header className="flex wraps middle gap-3">
        <h2 className="fill subheading one-line">The same exchanges, three ways</h2>
        {state.more.map(({ label, texts }) => (
          <Button
            key={label}
            why={live && 'It is answering: wait, or stop it.'}
            onClick={() => void say(...texts)}
          >
            {label}
          </Button>
        ))}
      </header>
      <div className={`grid gap-3 ${styles.way3}`}>
        {ways.map(({ name, policy, tokens, parts, exchanges }, at) => (
          <div
            key={policy}
            className={`grid single gap-2 round-3 ${styles.way}`}
            data-own={at === 0}
          >
            <p className="flex between gap-2">
              <b>{name}</b>
              <span className="soft">
                <b className="clear">{count(tokens)}</b> of {count(window)}
              </span>
            </p>
            <WindowBar
              size="row"
              segments={toPartSegments(parts)}
              {...{ window, reserve, margin }}
              label={`${name}: ${count(tokens)} of ${count(window)} tokens`}
            />
            <div
              className={`flex wraps ${styles.boxes}`}
              role="img"
              aria-label={wordsOf(exchanges)}
            >
              {exchanges.map((one, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: exchanges are only added at the end
                <i key={index} data-sent={one} />
              ))}
            </div>
            <p className="muted text-12-18">{wordsOf(exchanges)}</p>
          </div>
        ))}
      </div>
    </section>
  )
}

/** `8 as one line, 2 whole` */
function wordsOf(exchanges: readonly SentAs[]): string {
  const amounts = (['whole', 'line', 'question', 'gone'] as const).flatMap(one => {
    const amount = exchanges.filter(other => other === one).length
    return amount === 0 ? [] : [`${amount} ${one === 'line' ? 'as one line' : tierNames[one]}`]
  })
  return amounts.length === 0 ? 'No exchange yet' : amounts.join(', ')
}
