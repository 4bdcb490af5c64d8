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
