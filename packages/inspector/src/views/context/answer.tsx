import { useQuery } from '@tanstack/react-query'
import { Unlink } from 'lucide-react'
import { lazy, Suspense, useMemo } from 'react'
import { keepTrying } from '../../api/connection.ts'
import { cardQuery, seenQuery } from '../../api/queries.ts'
import type { SentRow } from '../../api/timeline.ts'
import { Button } from '../../parts/button.tsx'
import { entryOf } from '../../parts/sent-rows.ts'
import { useSettled } from '../../parts/use-settled.ts'
import { useTexts } from '../../parts/use-texts.ts'
import styles from './answer.module.css'
import { type Scene, useScene } from './scene.ts'
import { type SaidText, sentencesOf, sourcesOf } from './sources-of.ts'
import { EntryLink } from './why-section.tsx'

const mostCharacters = 8_000

const AskAgain = lazy(() =>
  keepTrying(async () => ({ default: (await import('./ask-again.tsx')).AskAgain })),
)

/** What the model answered in a call. A sentence that is pressed shows which messages hold its words. */
export function Answer() {
  const { place, sources } = useScene()
  const { search, go } = place
  const text = useAnswer()
  const sentences = useMemo(() => sentencesOf((text ?? '').slice(0, mostCharacters)), [text])
  if (!text) return null
  return (
    <section
      className={`line-above scrolls-down thin-bar ${styles.answer}`}
      aria-label="Its answer"
    >
      <header className="row wraps gap-2">
        <h2 className="small-heading">Its answer</h2>
        {search.said === undefined ? (
          <span className={`fill muted text-11 ${styles.how}`}>
            Press a sentence to see which messages have its words.
          </span>
        ) : (
          <span className={`fill text-12-18 ${styles.how}`} role="status">
            {sources.length === 0 && 'Nothing in the window says this.'}
            {sources.length > 0 && 'By its words, from '}
            {sources.map(({ seqs }, at) => (
              <span key={seqs.join()}>
                {at > 0 && ', '}
                {seqs[0] === undefined ? 'another conversation' : <EntryLink seq={seqs[0]} />}
              </span>
            ))}
            {sources.length > 0 && '. No model was asked.'}
          </span>
        )}
        <WhyItForgot />
        <Suspense fallback={null}>
          <AskAgain settings={{}} old={text} />
        </Suspense>
      </header>
      <p className={`breaks ${styles.text}`}>
        {sentences.map((sentence, at) =>
          sentence.trim() === '' ? (
            sentence
          ) : (
            <button
              // biome-ignore lint/suspicious/noArrayIndexKey: a sentence may stand twice
              key={at}
              type="button"
              className={`hovers round-1 ${styles.sentence}`}
              aria-pressed={search.said === sentence.trim()}
              onClick={() =>
                go({
                  said: search.said === sentence.trim() ? undefined : sentence.trim().slice(0, 500),
                })
              }
            >
              {sentence}
            </button>
          ),
        )}
        {text.length > mostCharacters && '…'}
      </p>
    </section>
  )
}

/** Leads to the card of the answer, if one message clearly had what was asked and was not sent. */
function WhyItForgot() {
  const { place, entries, shownPoint } = useScene()
  const { thread, go } = place
  const point = useSettled(shownPoint, 250)
  const { data: seen } = useQuery(seenQuery(thread, point))
  // Without stored calls a life is made anew, turn by turn.
  const isCheap = point.call !== undefined || entries.length <= longestLife
  const isLikely = seen?.match !== undefined && !seen.match.isSent && isCheap
  const { data } = useQuery({ ...cardQuery(thread, point), enabled: isLikely })
  if (!data?.card) return null
  return (
    <Button onClick={() => go({ card: 0 }, { push: true })}>
      <Unlink size={14} aria-hidden /> Why it forgot
    </Button>
  )
}

const longestLife = 4000

/** What the call that is shown was answered; undefined if it was not, or while it is read. */
export function useAnswer(): string | undefined {
  const { place, entries, shownPoint } = useScene()
  const { at, turn } = shownPoint
  const isThere = entries[at]?.role === 'assistant' && entries[at].turn === turn
  const seqs = useMemo(() => (isThere ? [at + 1] : []), [isThere, at])
  return useTexts(place.thread, seqs, entries.length)(isThere ? at + 1 : 0)?.text
}

/** The messages of the window that have a sentence. Their texts are read only for one. */
export function useSources({
  place,
  moment,
  entries,
}: Pick<Scene, 'place' | 'moment' | 'entries'>) {
  const { said } = place.search
  const rows = said === undefined ? none : moment.rows
  const seqs = useMemo(
    () => rows.flatMap(row => [...row.seqs, ...row.standsFor].filter(Boolean)),
    [rows],
  )
  const textOf = useTexts(place.thread, seqs, entries.length)
  const texts = rows.flatMap(row => textsIn(row, seq => textOf(seq)?.text))
  const key = texts.map(({ text }) => text.length).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: texts of the same lengths in the same moment are the same
  return useMemo(() => (said === undefined ? [] : sourcesOf(said, texts)), [said, rows, key])
}

const none: readonly SentRow[] = []

/** What a row says: its entry, the entries that it quotes whole, or its text, which stands for several. */
function textsIn(row: SentRow, textOf: (seq: number) => string | undefined): readonly SaidText[] {
  const seq = entryOf(row)
  if (row.text === undefined && seq !== undefined) return [{ seqs: [seq], text: textOf(seq) ?? '' }]
  if (row.part === 'recall' && row.standsFor.length > 0)
    return row.standsFor.map(one => ({ seqs: [one], text: textOf(one) ?? '' }))
  return row.text === undefined ? [] : [{ seqs: [...row.seqs, ...row.standsFor], text: row.text }]
}
