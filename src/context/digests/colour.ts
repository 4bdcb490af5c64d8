import { cut, few } from '../../log/line.ts'

/** The keys under which models put colours, in reading order: a gradient's first colour before its second. */
const KEYS =
  'color colour colors palette color1 color2 start_color startColor end_color endColor from to stops'
const MAX_COLOURS = 4
/** Real colours are at most this deep: `colors: [{ color: { r, g, b } }]`. */
const MAX_DEPTH = 3

/**
 * The colours of a pattern's parameters: `#FF0000, #0000FF`. Text is kept as it was written, `{ r, g, b }` and
 * `[r, g, b]` become hex. The keys are a fixed list, so that parameters with a million keys cost nothing.
 */
export function toColours(params: unknown): string {
  const values = params as Record<string, unknown> | null | undefined
  // `from: "left"` is a place, not a colour: under such keys only hex counts.
  const colours = KEYS.split(' ').flatMap(key =>
    read(values?.[key], MAX_DEPTH).filter(text => text.startsWith('#') || (text && key.length > 4)),
  )
  return few(colours, MAX_COLOURS)
}

function read(value: unknown, depth: number): readonly string[] {
  if (typeof value === 'string') return [cut(value, 24)]
  if (typeof value !== 'object' || value === null || depth === 0) return []
  const { 0: x, 1: y, 2: z, r = x, g = y, b = z, color } = value as Record<string, unknown>
  if ([r, g, b].every(Number.isFinite)) return [toHex([r, g, b] as number[])]
  const list: readonly unknown[] = Array.isArray(value) ? value.slice(0, MAX_COLOURS + 1) : [color]
  return list.flatMap(item => read(item, depth - 1))
}

/** Channels are clamped to 0 to 255, as a lamp would. The leading 1 keeps the zeros. */
function toHex(channels: readonly number[]): string {
  const number = Uint8ClampedArray.from(channels).reduce((sum, channel) => sum * 256 + channel, 1)
  return `#${number.toString(16).slice(1).toUpperCase()}`
}
