import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { callDumpQuery, contextQuery, dumpQuery } from '../../api/queries.ts'
import type { CallAnswer } from '../../api/timeline.ts'
import { BigText, FindField, useFindIn } from '../../parts/big-text.tsx'
import { Button, CopyButton } from '../../parts/button.tsx'
import { download, toFileName } from '../../parts/download.ts'
import { amountOf, count, fullTime } from '../../parts/format.ts'
import { QueryState, Skeleton } from '../../parts/query-state.tsx'
import { calibrationText } from '../../parts/token-words.ts'
import styles from './context-view.module.css'
import type { Scene } from './scene.ts'

export interface SentTextProps {
  readonly scene: Scene
  readonly form: 'request' | 'text'
}

/** What was sent, byte for byte: the request with its model, options and tools as JSON, or the prompt as plain text. */
export function SentText({ scene, form }: SentTextProps) {
  const { shownPoint: point, moment, place } = scene
  const { at, call } = point
  const isStored = call !== undefined
  const dump = useQuery({ ...dumpQuery(place.thread, { at }), enabled: form === 'text' && !isStored })
  const sentDump = useQuery({
    ...callDumpQuery(place.thread, call ?? ''),
    enabled: form === 'text' && isStored,
  })
  const made = useQuery({ ...contextQuery(place.thread, { at }), enabled: form === 'request' && !isStored })
  const shownOf = (text: string) => <Shown {...{ scene, form, text }} />
  if (form === 'text') return <QueryState query={isStored ? sentDump : dump}>{shownOf}</QueryState>
  if (!isStored)
    return <QueryState query={made}>{({ messages }) => shownOf(toJson({ messages }))}</QueryState>
  return moment.call?.id === call ? shownOf(toJson(requestOf(moment.call))) : <Skeleton />
}

const toJson = (value: unknown) => JSON.stringify(value, null, 2)

/** The log adds a time to messages, which is not sent to the model. */
const requestOf = ({ model, settings, tools, messages }: CallAnswer) => ({
  ...{ model, ...settings, tools },
  messages: messages.map(({ time: _, ...message }: Readonly<Record<string, unknown>>) => message),
})

/** What a request does not say of itself. */
const factsOf = ({ time, window, reserve, policy, factor, counter, id }: CallAnswer) =>
  `${fullTime(time)} · ${policy} in a window of ${count(window)}, of which ${count(reserve)} for the reply · counted by ${counter} · call ${id}. ${calibrationText(factor)}`

function Shown({ scene, form, text }: SentTextProps & { readonly text: string }) {
  const { shownPoint: point, moment, place } = scene
  const { search, go, conversation } = place
  const word = search.q ?? ''
  const { places, index, current, move, restart } = useFindIn(text, word)
  const isNow = search.turn === undefined && search.call === undefined
  const name = `${conversation}-${isNow ? 'now' : `turn-${point.turn}`}.${form === 'text' ? 'txt' : 'json'}`
  return (
    <section className={`grid slim low on-panel ${styles.text}`} aria-label="What was sent">
      <header className={`row wraps line-below ${styles.textHead}`}>
        <p className="fill muted text-12-18 slim">
          {amountOf(text.split('\n').length - 1, 'line')}, {count(text.length)} characters.{' '}
          {moment.call
            ? `As it was sent. ${factsOf(moment.call)}`
            : 'No call is stored here: made now, with the settings of the last call.'}
        </p>
        <FindField
          {...{ word, index, matches: places.length, onMove: move }}
          onChange={next => {
            restart()
            go({ q: next === '' ? undefined : next })
          }}
        />
        <span className="flex">
          <CopyButton text={text} />
          <Button kind="plain" onClick={() => download(new Blob([text]), toFileName(name))}>
            <Download size={14} aria-hidden /> Download
          </Button>
        </span>
      </header>
      <BigText
        {...{ text, places, current, length: word.length }}
        label={form === 'text' ? 'What was sent, as text' : 'What was sent, as JSON'}
      />
    </section>
  )
}
