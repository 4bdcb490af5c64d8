import type { Page } from 'playwright-core'

/** The frames that a page draws while something is done with it. A figure to print: a machine may be slow for reasons of its own. */
export async function countFrames(page: Page, work: () => Promise<void>) {
  await page.evaluate(() => {
    const times: number[] = []
    const note = (time: number) => {
      times.push(time)
      if ('frames' in globalThis) requestAnimationFrame(note)
    }
    Object.assign(globalThis, { frames: times })
    requestAnimationFrame(note)
  })
  await work()
  return page.evaluate(() => {
    const { frames } = globalThis as unknown as { frames: number[] }
    Reflect.deleteProperty(globalThis, 'frames')
    const gaps = frames.slice(1).map((time, at) => time - frames[at]!)
    const seconds = (frames.at(-1)! - frames[0]!) / 1000
    const worst = gaps.reduce((most, gap) => Math.max(most, gap), 0)
    return { perSecond: Math.round(gaps.length / seconds), longest: Math.round(worst) }
  })
}
