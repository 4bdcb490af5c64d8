import { useQuery } from '@tanstack/react-query'
import { windowName } from '@throughline/core/values'
import { Pin, Search } from 'lucide-react'
import { type SeenAnswer, seenQuery } from '../../api/queries.ts'
import { Button } from '../../parts/button.tsx'
import { fateInText } from '../../parts/fates.ts'
import { whyFree } from '../../parts/token-words.ts'
import { useSettled } from '../../parts/use-settled.ts'
import { useScene } from './scene.ts'
import { useHand } from './use-hand.ts'
import styles from './verdict.module.css'
import { seenWords, verdictOf } from './verdict-words.ts'

/** What a call had of what it was asked, in one sentence, and a field that asks the same of anything. */
export function Verdict() {
  const { place, entries, shownPoint: point, stops, select } = useScene()
  const { thread, search, go } = place
  const free = whyFree(point)
  const saw = useSettled(search.saw, 300)
  const settled = useSettled(point, 250)
  const { data: answer, error } = useQuery({
    ...seenQuery(thread, settled, saw),
    enabled: entries.length > 0,
  })
  const lastTurn = (entry: number) =>
    stops.findLast(({ turn, points }) => {
      const fate = turn <= point.turn && fateInText(points[0]?.fates ?? '', entry)
      return fate === 'kept' || fate === 'altered' || fate === 'recalled'
    })?.turn
  const words = (seen: SeenAnswer) =>
    saw === undefined
      ? verdictOf(seen, point)
      : seenWords(seen, saw, { ...point, left: seen.match && lastTurn(seen.match.entry) })
  return (
    <div className={`flex wraps baseline gap-2 ${styles.verdict}`}>
      <p className={`slim breaks text-12-18 ${styles.words}`} role="status">
        {answer ? words(answer) : (error?.message ?? 'Looking …')}{' '}
        {free !== undefined && saw === undefined && <span className="muted">{free}. </span>}
        {answer?.match && (
          <Button kind="plain" onClick={() => select(answer.match!.entry)}>
            Show #{answer.match.entry}
          </Button>
        )}
        {answer?.would.map(({ policy, window }) => (
          <Button
            key={`${window} ${policy}`}
            kind="plain"
            onClick={() =>
              go({ b: `${window}.${policy}`, entry: answer.match?.entry }, { push: true })
            }
          >
            Compare with {policy === point.policy ? windowName(window) : policy}
            {policy !== point.policy && window !== point.window && `, ${windowName(window)}`}
          </Button>
        ))}
        {answer?.match && !answer.match.isSent && <PinButton seq={answer.match.entry} />}
        {answer?.match && !answer.match.isSent && saw !== undefined && (
          <Button kind="plain" onClick={() => go({ card: 0 }, { push: true })}>
            Draw it
          </Button>
        )}
      </p>
      <label className={`row gap-2 muted outlined round-2 ${styles.saw}`}>
        <Search size={14} aria-hidden />
        <input
          className="text-12 fill slim tall clear bare"
          type="search"
          maxLength={1000}
          value={search.saw ?? ''}
          placeholder="Did it see …?"
          aria-label="Did it see this?"
          onChange={event => go({ saw: event.target.value || undefined })}
        />
      </label>
    </div>
  )
}

/** What keeps a message in sight whatever the window. */
function PinButton({ seq }: { readonly seq: number }) {
  const { isSet, work, lacking } = useHand(seq)
  if (isSet.pin || isSet.hide) return null
  return (
    <Button
      kind="plain"
      why={work.error?.message ?? lacking('chat')}
      onClick={() => work.isPending || work.mutate('pin')}
    >
      <Pin size={14} aria-hidden /> Pin #{seq}
    </Button>
  )
}
