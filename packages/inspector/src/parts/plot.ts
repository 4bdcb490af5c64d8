import { count, short } from './format.ts'

export const linearScale =
  ([low, high]: ValueRange, [from, to]: ValueRange) =>
  (value: number): number =>
    high === low ? (from + to) / 2 : from + ((value - low) / (high - low)) * (to - from)

export type ValueRange = readonly [low: number, high: number]

export type PlotPoint = readonly [x: number, y: number]
export type Bar = readonly [left: number, top: number, width: number, height: number]

export function barsPath(bars: Iterable<Bar>): string {
  let path = ''
  for (const [x, y, width, height] of bars)
    path += `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}z`
  return path
}

export const linePath = (points: readonly PlotPoint[]): string =>
  points.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${round(x)} ${round(y)}`).join('')

/** Dots as one path: a stroke of no length is a dot. */
export const dotsPath = (points: readonly PlotPoint[]): string =>
  points.map(([x, y]) => `M${round(x)} ${round(y)}h0`).join('')

const round = (value: number) => Math.round(value * 10) / 10

export interface Tick {
  /** From the top. */
  readonly y: number
  readonly text: string
}

/** Round amounts of tokens from 0 to the most, about as many as asked for, with their places on an axis. */
export function toTicks(
  most: number,
  many: number,
  y: (tokens: number) => number,
): readonly Tick[] {
  const rough = Math.max(1, most / Math.max(1, many))
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map(one => one * power).find(one => one >= rough) ?? power * 10
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, at) => {
    const tokens = at * step
    const isRound = tokens > 0 && tokens % 1000 === 0
    return { y: y(tokens), text: isRound ? `${count(tokens / 1000)}k` : short(tokens) }
  })
}

/** Pushes names at the ends of lines apart, where they would stand on each other: downwards, then up again from `bottom`. */
export function moveApart<Name extends { readonly at: number }>(
  names: readonly Name[],
  gap: number,
  [top, bottom]: ValueRange,
): readonly Name[] {
  const placed = names.map(name => ({ ...name, at: name.at })).sort((a, b) => a.at - b.at)
  for (const [index, name] of placed.entries())
    name.at = Math.max(name.at, index === 0 ? top : placed[index - 1]!.at + gap)
  for (let index = placed.length - 1; index >= 0; index--)
    placed[index]!.at = Math.min(placed[index]!.at, (placed[index + 1]?.at ?? bottom + gap) - gap)
  return placed
}
