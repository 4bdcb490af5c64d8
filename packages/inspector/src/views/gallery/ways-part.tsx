import { Check, X } from 'lucide-react'
import { useState } from 'react'
import type { ApplicationState, WaysColumn, WaysDrawing } from '../../api/gallery-queries.ts'
import { Button } from '../../parts/button.tsx'
import { count } from '../../parts/format.ts'
import { Segments } from '../../parts/segments.tsx'
import type { Saying } from './use-saying.ts'
import styles from './ways-part.module.css'

interface WaysPartProps {
  readonly drawing: WaysDrawing
  readonly state: ApplicationState
  readonly saying: Saying
}

type Sight = WaysColumn['sight']

const sightWords: Readonly<Record<Sight, string>> = {
  saw: 'saw it',
  cut: 'cut',
  unknown: 'your question',
}

/** One question, three ways to cut the chat: what is left, whether the answer is in it, and the answer. */
export function WaysPart({ drawing, saying }: WaysPartProps) {
  const { question, alone, growing, window } = drawing
  const [how, setHow] = useState<'alone' | 'growing'>('alone')
  const columns = how === 'alone' ? alone : growing
  return (
    <>
      <section className={`grid single gap-3 ${styles.part}`} aria-label="One question, three ways">
        <header className="flex wraps middle gap-3">
          <h2 className="fill subheading">
            {question ?? 'Ask one of the questions below, or one of your own'}
          </h2>
          {columns.length > 0 && (
            <Segments
              label="How the question is asked"
              value={how}
              choices={{ alone: 'Asked alone', growing: 'In the growing conversation' }}
              onChoose={setHow}
            />
          )}
        </header>
        {saying.live && <p className="muted">Asking …</p>}
        <div className={`grid gap-3 ${styles.ways}`}>
          {columns.map(one => (
            <Column key={one.name} {...one} window={window} />
          ))}
        </div>
        <p className="muted text-12-18">
          Worked out here by each rule; the reader, which only quotes, answers from what is left.
          “Saw it” means that the words of the answer were in what was sent, not that the answer was
          right.
          {how === 'growing' &&
            ' Behind the chat stand all questions that were asked here, with their answers.'}
        </p>
      </section>
      <Questions {...{ drawing, saying }} />
      <Cases cases={drawing.cases} />
    </>
  )
}

function Column({
  name,
  about,
  tokens,
  messages,
  left,
  strip,
  sight,
  answer,
  window,
}: WaysColumn & Pick<WaysDrawing, 'window'>) {
  return (
    <div className={`grid single from-top gap-2 framed round-3 ${styles.way}`}>
      <p className="flex between gap-2">
        <b>{name}</b>
        <Mark sight={sight} />
      </p>
      <p className="muted text-12-18">{about}</p>
      <svg
        className={styles.strip}
        viewBox="0 0 64 20"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${left} of ${messages} messages are left`}
      >
        {strip.map((share, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces stand in the order of the chat
          <g key={at}>
            <rect x={at} width="0.8" y="0" height="20" className={styles.gone} />
            <rect
              x={at}
              width="0.8"
              y={20 - 20 * share}
              height={20 * share}
              className={styles.left}
            />
          </g>
        ))}
      </svg>
      <p className="soft text-12-18">
        <b className="clear">{count(left)}</b> of {count(messages)} messages,{' '}
        <b className="clear">{count(tokens)}</b> of {count(window)} tokens
      </p>
      <blockquote className={`breaks ${styles.answer}`}>{answer}</blockquote>
    </div>
  )
}

function Mark({ sight }: { readonly sight: Sight }) {
  return (
    <span className={`inline gap-1 text-12 ${styles.mark}`} data-sight={sight}>
      {sight === 'saw' && <Check size={13} aria-hidden />}
      {sight === 'cut' && <X size={13} aria-hidden />}
      {sightWords[sight]}
    </span>
  )
}

function Questions({
  drawing: { names, questions },
  saying,
}: Pick<WaysPartProps, 'drawing' | 'saying'>) {
  const sums = names.map((_, way) => questions.filter(({ sights }) => sights[way] === 'saw').length)
  return (
    <section
      className={`grid single gap-2 line-above ${styles.part}`}
      aria-label="Fifteen ready questions"
    >
      <h2 className="subheading">
        {questions.length} ready questions{' '}
        <span className="muted light text-12">
          each asked alone; saw the answer:{' '}
          {names.map((name, way) => `${name} ${sums[way]}`).join(', ')}
        </span>
      </h2>
      <ul className={`grid gap-2px ${styles.questions}`}>
        {questions.map(({ text, said, sights }) => (
          <li key={text}>
            <button
              type="button"
              className={`wide grid middle gap-2 hovers round-2 ${styles.question}`}
              onClick={() => void saying.say(text)}
            >
              <span className="breaks">
                {text} <span className="muted text-12 one-line">said in #{said}</span>
              </span>
              <span
                className={`flex ${styles.squares}`}
                role="img"
                aria-label={sights
                  .map((sight, way) => `${names[way]}: ${sightWords[sight]}`)
                  .join(', ')}
              >
                {sights.map((sight, way) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a square is of the way at its place
                  <i key={way} data-sight={sight} />
                ))}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Two cases that are small enough to be read whole. */
function Cases({ cases }: Pick<WaysDrawing, 'cases'>) {
  const [shown, setShown] = useState<string>()
  const one = cases.find(({ label }) => label === shown)
  return (
    <section className={`grid single gap-2 line-above ${styles.part}`} aria-label="Two small cases">
      <h2 className="subheading">
        The rule in small{' '}
        <span className="muted light text-12">the first message kept; a word is a token</span>
      </h2>
      <p className="flex wraps gap-2">
        {cases.map(({ label }) => (
          <Button key={label} aria-pressed={label === shown} onClick={() => setShown(label)}>
            {label}
          </Button>
        ))}
      </p>
      {one && (
        <div className={`grid gap-3 ${styles.both}`} role="status">
          {(
            [
              ['What was said', one.before],
              ['What is sent', one.after],
            ] as const
          ).map(([title, texts]) => (
            <div key={title} className="grid single from-top gap-1">
              <p className="caption">{title}</p>
              <ol className="grid single gap-1">
                {texts.map(text => (
                  <li key={text} className={`breaks on-sunken round-2 ${styles.line}`}>
                    {text}
                  </li>
                ))}
              </ol>
            </div>
          ))}
          <p className={`muted text-12-18 ${styles.about}`}>{one.about}</p>
        </div>
      )}
    </section>
  )
}
