/** Places in a text, each from one UTF-16 unit up to another, in order and apart. */
export type Places = readonly (readonly [from: number, to: number])[]

export interface MarkedProps {
  readonly text: string
  readonly places: Places
  /** The place that is looked at, by its beginning. */
  readonly current?: number | undefined
}

/** A text with some places marked. It is only ever a text, whatever stands in it. */
export function Marked({ text, places, current }: MarkedProps) {
  const pieces: React.ReactNode[] = []
  let at = 0
  for (const [from, to] of places) {
    pieces.push(
      text.slice(at, from),
      <mark key={from} data-current={current === undefined ? undefined : from === current}>
        {text.slice(from, to)}
      </mark>,
    )
    at = to
  }
  return [...pieces, text.slice(at)]
}
