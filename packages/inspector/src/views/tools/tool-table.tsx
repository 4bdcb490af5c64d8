import { useQuery } from '@tanstack/react-query'
import { Fragment, useMemo, useState } from 'react'
import { timelineQuery } from '../../api/timeline.ts'
import { threadSearch, usePlace } from '../../parts/address.ts'
import { FateGlyph } from '../../parts/fate-glyph.tsx'
import { nameOfFate, readFates } from '../../parts/fates.ts'
import { amountOf, count } from '../../parts/format.ts'
import type { Brief } from '../../parts/log-scale.ts'
import { type AnyMessage, oneLine } from '../../parts/message-text.ts'
import { toggled } from '../../parts/toggled.ts'
import { isNarrow, useMedia } from '../../parts/use-media.ts'
import { usePages } from '../../parts/use-pages.tsx'
import { useTexts } from '../../parts/use-texts.ts'
import { ViewLink } from '../../parts/view-link.tsx'
import { argumentsOf, fateOfRun, type ToolRun, toolRunsOf } from './tool-runs.ts'
import styles from './tool-table.module.css'

const perPage = 300
/** A longer text is shown from its beginning and its end. */
const mostCharacters = 100_000

/** Every call of a tool: its arguments, its result, the tokens of that and what became of it in the newest context. */
export function ToolTable({ entries }: { readonly entries: readonly Brief[] }) {
  const { thread, search } = usePlace()
  const all = useMemo(() => toolRunsOf(entries), [entries])
  const { data: timeline } = useQuery(timelineQuery(thread))
  const point = timeline?.points.at(-1)
  const fates = useMemo(() => readFates(point?.fates ?? ''), [point?.fates])
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  const newestFirst = useMemo(() => all.toReversed(), [all])
  const { shown, pager } = usePages(newestFirst, perPage)
  const seqs = useMemo(() => shown.flatMap(({ seq, result }) => [seq, result ?? seq]), [shown])
  const textOf = useTexts(thread, seqs, entries.length)
  const isSlim = useMedia(isNarrow)

  const rowOf = (run: ToolRun) => {
    const called = textOf(run.seq)?.entry
    const input = called && argumentsOf(called.message as AnyMessage, run.at)
    const output = run.result === undefined ? undefined : textOf(run.result)
    const fate = fateOfRun(fates, run)
    const tokens = entries[(run.result ?? run.seq) - 1]?.tokens
    const isOpen = open.has(run.number)
    return (
      <Fragment key={run.number}>
        <tr data-failed={output?.entry.isError === true}>
          <td>{count(run.number)}</td>
          <th scope="row">
            <button
              type="button"
              aria-expanded={isOpen}
              onClick={() => setOpen(before => toggled(before, run.number))}
            >
              {run.tool}
            </button>
          </th>
          <td className={styles.text} data-for="wide">
            {oneLine(input === '' ? '{}' : input)}
          </td>
          <td className={styles.text}>
            {run.result === undefined ? <i>the client owes it</i> : oneLine(output?.text)}
          </td>
          <td>{tokens === undefined ? '–' : count(Math.round(tokens * (point?.factor ?? 1)))}</td>
          <td>
            {fate && (
              <span className="inline gap-1 fated" data-fate={fate}>
                <FateGlyph fate={fate} />
                {nameOfFate(fate)}
              </span>
            )}
          </td>
          <td>
            <ViewLink
              view="context"
              className="accent"
              search={{ ...threadSearch(search), entry: run.result ?? run.seq }}
            >
              #{run.result ?? run.seq}
            </ViewLink>
          </td>
        </tr>
        {isOpen && (
          <tr>
            <td colSpan={isSlim ? 4 : 7} className={styles.whole}>
              <pre className="code written">{wholeOf(input)}</pre>
              {run.result !== undefined && (
                <pre className="code written">{wholeOf(output?.text)}</pre>
              )}
            </td>
          </tr>
        )}
      </Fragment>
    )
  }
  return (
    <section>
      <h2 className={styles.title}>{amountOf(all.length, 'tool call')}, the newest first</h2>
      <table className={`table one-line ${styles.table}`}>
        <thead>
          <tr>
            <th scope="col">#</th>
            <th scope="col">Tool</th>
            <th scope="col" data-for="wide">
              Arguments
            </th>
            <th scope="col">Result</th>
            <th scope="col">Tokens</th>
            <th scope="col">Fate</th>
            <th scope="col">Message</th>
          </tr>
        </thead>
        <tbody>{shown.map(rowOf)}</tbody>
      </table>
      {pager}
    </section>
  )
}

/** A text, or of a very long one its beginning and its end, with how much is left out. */
function wholeOf(text: string | undefined): string {
  if (text === undefined) return 'Being read …'
  if (text.length <= mostCharacters) return text
  const half = mostCharacters / 2
  return `${text.slice(0, half)}\n… ${count(text.length - mostCharacters)} characters are not shown here …\n${text.slice(-half)}`
}
