import { download } from '../../parts/download.ts'
import { notify } from '../../parts/notify.ts'

/** An SVG as the address of a picture. */
export const toAddress = (svg: string): string =>
  `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`

/** The same as PNG, twice as large: sharp where it is shown. */
async function toPng(svg: string): Promise<Blob> {
  const image = new Image()
  image.src = toAddress(svg)
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = 2 * image.naturalWidth
  canvas.height = 2 * image.naturalHeight
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve, reject) =>
    canvas.toBlob(blob => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'),
  )
}

/** Puts a picture on the clipboard; where that is refused, it becomes a file. */
export async function copyImage(svg: string, name: string): Promise<void> {
  try {
    // Safari wants the promise itself: what is awaited before is no longer of the click.
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': toPng(svg) })])
    notify('The picture is on the clipboard.')
  } catch {
    await saveImage(svg, name)
    notify('The browser does not let the page copy pictures. It is saved as a file instead.')
  }
}

export const saveImage = async (svg: string, name: string): Promise<void> =>
  download(await toPng(svg), `${name}.png`)

export const saveDrawing = (svg: string, name: string): void =>
  download(new Blob([svg], { type: 'image/svg+xml' }), `${name}.svg`)
