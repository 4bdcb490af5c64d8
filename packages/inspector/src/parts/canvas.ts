import { useMemo } from 'react'
import { useIsDark } from './theme.ts'

/** Makes a canvas as large as it is shown, with a pixel for each of the screen's, and clears it. */
export function startDrawing(
  canvas: HTMLCanvasElement,
  { width, height }: { readonly width: number; readonly height: number },
): CanvasRenderingContext2D | undefined {
  const ratio = window.devicePixelRatio || 1
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)]
  if (canvas.width !== across || canvas.height !== down) {
    canvas.width = across
    canvas.height = down
  }
  const draw = canvas.getContext('2d') ?? undefined
  draw?.setTransform(ratio, 0, 0, ratio, 0, 0)
  draw?.clearRect(0, 0, width, height)
  return draw
}

/** The colours of the tokens, resolved: a canvas knows no custom properties. They change with the theme. */
export function useColours<Name extends string>(
  names: readonly Name[],
): Readonly<Record<Name, string>> {
  const dark = useIsDark()
  const key = names.join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme decides what the names stand for
  return useMemo(() => resolve(key.split(' ') as Name[]), [key, dark])
}

function resolve<Name extends string>(names: readonly Name[]): Readonly<Record<Name, string>> {
  const probe = document.createElement('i')
  document.body.append(probe)
  const colours = {} as Record<Name, string>
  for (const name of names) {
    probe.style.color = `var(--${name})`
    colours[name] = getComputedStyle(probe).color
  }
  probe.remove()
  return colours
}
