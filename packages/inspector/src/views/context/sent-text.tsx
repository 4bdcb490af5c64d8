import { useQuery } from '@tanstack/react-query'
import { ChevronDown, ChevronUp, Download } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { callDumpQuery, contextQuery, dumpQuery } from '../../api/queries.ts'
import type { CallAnswer } from '../../api/timeline.ts'
import { Button, CopyButton } from '../../parts/button.tsx'
import { download, toFileName } from '../../parts/download.ts'
import field from '../../parts/field.module.css'
import { amountOf, count, fullTime } from '../../parts/format.ts'
import { useKeys } from '../../parts/keys.ts'
import { Marked } from '../../parts/marked.tsx'
import { QueryState, Skeleton } from '../../parts/query-state.tsx'
import { calibrationText } from '../../parts/token-words.ts'
import texts from './big-text.module.css'
import styles from './context-view.module.css'
import { useScene } from './scene.ts'

/** What was sent: the body of the request as JSON, or the prompt as plain text. */
export default function SentText() {
  const { shownPoint, moment, place } = useScene()
  const { at, call } = shownPoint
  const isText = place.search.as === 'text'
  const dump =
    call === undefined ? dumpQuery(place.thread, { at }) : callDumpQuery(place.thread, call)
  const text = useQuery({ ...dump, enabled: isText })
  const made = useQuery({
    ...contextQuery(place.thread, { at }),
    enabled: !isText && call === undefined,
  })
  const shownOf = (text: string) => <Shown text={text} />
  if (isText) return <QueryState query={text}>{shownOf}</QueryState>
  if (call === undefined)
    return <QueryState query={made}>{({ messages }) => shownOf(toJson({ messages }))}</QueryState>
  return moment.call?.id === call ? shownOf(toJson(requestOf(moment.call))) : <Skeleton />
}

const toJson = (value: unknown) => JSON.stringify(value, null, 2)

/** The body that a server was sent; of a model without a server what it was given. The log adds a time to messages. */
const requestOf = ({ model, settings, tools, messages, request }: CallAnswer) =>
  request?.body ?? {
    ...{ model, ...settings, tools },
    messages: messages.map(({ time: _, ...message }: Readonly<Record<string, unknown>>) => message),
  }

/** Whether the text that is shown is what was sent. */
function truthOf({ request, shadow }: CallAnswer, isText: boolean): string {
  if (shadow) return 'What would have been sent: the client’s own request passed in its place.'
  if (isText) return 'What was sent, written as text.'
  if (!request)
    return 'What the model was given, in the form of the log: no body of a request is kept.'
  return request.isExact
    ? 'As it was sent, value for value.'
    : 'Its fields are those that were sent. Messages and tools are written again from the log, in the same form: there they stood in other words.'
}

/** What a request does not say of itself. */
const factsOf = ({ time, window, reserve, policy, factor, reported, counter, id }: CallAnswer) =>
  `${fullTime(time)} · ${policy}, ${window === undefined ? 'window unknown: nothing is cut' : `in a window of ${count(window)}, of which ${count(reserve)} for the reply`} · counted by ${counter} · call ${id}. ${calibrationText(factor, reported)}`

function Shown({ text }: { readonly text: string }) {
  const { shownPoint: point, moment, place } = useScene()
  const { search, go, conversation } = place
  const { q: word = '', as: form } = search
  const find = useFindIn(text, word)
  const isNow = search.turn === undefined && search.call === undefined
  const name = `${conversation}-${isNow ? 'now' : `turn-${point.turn}`}.${form === 'text' ? 'txt' : 'json'}`
  return (
    <section className={`grid slim low on-panel ${styles.text}`} aria-label="What was sent">
      <header className={`row wraps line-below ${styles.textHead}`}>
        <p className="fill muted text-12-18 slim">
          {amountOf(text.split('\n').length - 1, 'line')}, {count(text.length)} characters.{' '}
          {moment.call
            ? `${truthOf(moment.call, form === 'text')} ${factsOf(moment.call)}`
            : 'No call is stored here: made now, with the settings of the last call.'}
        </p>
        <FindField
          find={find}
          onChange={next => {
            find.restart()
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
        {...{ text, find }}
        label={form === 'text' ? 'What was sent, as text' : 'What was sent, as JSON'}
      />
    </section>
  )
}

interface BigTextProps {
  readonly text: string
  readonly label: string
  readonly find: TextFind
}

/** A text of any size, exactly as it is: blocks are laid out when they come into view, and it can be copied as a whole. */
function BigText({ text, label, find: { word, places, current } }: BigTextProps) {
  const blocks = useMemo(() => toBlocks(text), [text])
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (current !== undefined)
      box.current?.querySelector('[data-current="true"]')?.scrollIntoView({ block: 'center' })
  }, [current])
  let next = 0
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div ref={box} className={texts.text} tabIndex={0} role="region" aria-label={label}>
      {blocks.map(({ from, to, lines }) => {
        const marked: number[] = []
        for (; next < places.length && places[next]! < to; next++) marked.push(places[next]!)
        return (
          <pre
            key={from}
            className={texts.block}
            style={{ containIntrinsicSize: `auto ${lines * 18}px` }}
          >
            <Marked
              text={text.slice(from, to)}
              places={marked.map(place => [place - from, Math.min(place + word.length, to) - from])}
              current={current === undefined ? undefined : current - from}
            />
          </pre>
        )
      })}
    </div>
  )
}

const mostLines = 120
const mostCharacters = 20_000

/** Divides a text into blocks of whole lines; only a line that is longer than a block is divided. */
function toBlocks(text: string) {
  const blocks: { from: number; to: number; lines: number }[] = []
  for (let from = 0; from < text.length; ) {
    let to = from
    let lines = 0
    while (lines < mostLines && to < text.length) {
      const end = text.indexOf('\n', to)
      const next = end < 0 ? text.length : end + 1
      if (next - from > mostCharacters && to > from) break
      to = Math.min(next, from + mostCharacters)
      lines += 1
      if (to < next) break
    }
    blocks.push({ from, to, lines })
    from = to
  }
  return blocks
}

const mostPlaces = 10_000

/** Where a text has a word, whatever its case. */
function placesIn(text: string, word: string): readonly number[] {
  if (word === '') return []
  // Some letters have more units in lower case: then places would not fit.
  const lower = text.toLowerCase()
  const [within, wanted] = lower.length === text.length ? [lower, word.toLowerCase()] : [text, word]
  const places: number[] = []
  for (
    let at = within.indexOf(wanted);
    at >= 0 && places.length < mostPlaces;
    at = within.indexOf(wanted, at + wanted.length)
  )
    places.push(at)
  return places
}

interface FindFieldProps {
  readonly find: TextFind
  readonly onChange: (word: string) => void
}

/** Looks for a word in a text. Enter leads to the next place, with shift to the one before; Escape clears it. */
function FindField({ find: { word, places, index, move }, onChange }: FindFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  useKeys('Text', [{ keys: '/', does: 'find in the text', run: () => input.current?.focus() }])
  return (
    <div className={`row gap-2px ${texts.find}`}>
      <input
        ref={input}
        type="search"
        className={field.input}
        aria-label="Find in the text"
        placeholder="Find…"
        value={word}
        onChange={event => onChange(event.target.value)}
        onKeyDown={event => {
          if (event.key === 'Enter') move(event.shiftKey ? -1 : 1)
          if (event.key === 'Escape') onChange('')
        }}
      />
      <span className={`muted text-12 ${texts.found}`} role="status" data-empty={word === ''}>
        {word !== '' && (index < 0 ? 'nothing' : `${count(index + 1)} of ${count(places.length)}`)}
      </span>
      {word !== '' &&
        ways.map(({ label, by, Icon }) => (
          <Button
            key={by}
            kind="icon"
            aria-label={label}
            why={index < 0 ? 'Nothing was found.' : undefined}
            onClick={() => move(by)}
          >
            <Icon size={16} aria-hidden />
          </Button>
        ))}
    </div>
  )
}

const ways = [
  { label: 'Place before', by: -1, Icon: ChevronUp },
  { label: 'Next place', by: 1, Icon: ChevronDown },
]

type TextFind = ReturnType<typeof useFindIn>

/** The places of a word in a text, and the one that is selected: `index` is below 0 if there is none. */
function useFindIn(text: string, word: string) {
  const places = useMemo(() => placesIn(text, word), [text, word])
  const [at, setAt] = useState(0)
  const index = places.length === 0 ? -1 : at % places.length
  const move = (by: number) =>
    setAt((Math.max(0, index) + by + places.length) % Math.max(1, places.length))
  return { word, places, index, current: places[index], move, restart: () => setAt(0) }
}
