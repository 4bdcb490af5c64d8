import { Marked, type Places } from './marked.tsx'

/** Code between fences, and a tool call as this page writes it. */
const code = /```[\s\S]*?(?:```|(?![\s\S]))|^→ .*$/gm

/** A text as it was written, its code in letters of one width; with `isCode` all of it. */
export function CodeText({
  text,
  places = [],
  isCode = false,
}: {
  readonly text: string
  readonly places?: Places
  readonly isCode?: boolean
}) {
  const ends = isCode
    ? [0, text.length]
    : [...text.matchAll(code)].flatMap(({ 0: { length }, index }) => [index, index + length])
  return [0, ...ends, text.length].map((end, at, all) => {
    const from = all[at - 1] ?? 0
    const piece = (
      <Marked
        key={from}
        text={text.slice(from, end)}
        places={places.flatMap(([first, last]) =>
          first < end && last > from
            ? [[Math.max(first, from) - from, Math.min(last, end) - from] as const]
            : [],
        )}
      />
    )
    if (from === end) return null
    return at % 2 === 0 ? (
      <code key={`code ${from}`} className="code">
        {piece}
      </code>
    ) : (
      piece
    )
  })
}
