/** What was done to the site, so that it can be taken back; and writes that wait for the user, because they would lose something. */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import type { SiteFolder } from './site-folder.ts'

export interface SiteChanges {
  /** Begins a change: what is written from now on is taken back together. */
  begin(): void
  /** Writes a file. A write that would lose most of it is not done, and waits: see `LossError`. */
  write(path: string, text: string): Promise<{ readonly isNew: boolean }>
  remove(path: string): Promise<void>
  /** Writes what waits since an earlier message. Gives its path. */
  writeWaiting(): Promise<string>
  /** Takes the last change back. Gives the paths of its files. */
  undo(): Promise<readonly string[]>
  readonly canUndo: boolean
}

/** A write that was not done: it would throw most of a file away, or has a line in place of the rest. */
export class LossError extends Error {}

const step = z.object({
  path: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
})
const kept = z.array(z.array(step))
type Step = z.infer<typeof step>

/** How many of the newest changes are kept, so that each can be taken back. */
const mostChanges = 30

/** `file`: where the changes are kept over a restart; without one, in memory. */
export async function openChanges(site: SiteFolder, file?: string): Promise<SiteChanges> {
  let changes: Step[][] = await load(file)
  let current: Step[] = []
  let waiting: { readonly path: string; readonly text: string; readonly change: Step[] } | undefined

  /** Tools of one message run side by side; changes are made one after the other. */
  let last: Promise<unknown> = Promise.resolve()
  function inTurn<T>(action: () => Promise<T>): Promise<T> {
    const done = last.then(action)
    last = done.catch(() => undefined)
    return done
  }

  const textOf = async (path: string) =>
    (await site.list()).includes(path) ? site.readText(path) : null

  async function keep(next: Step): Promise<void> {
    const first = current.find(({ path }) => path === next.path)
    current = [
      ...current.filter(one => one !== first),
      { ...next, before: first ? first.before : next.before },
    ]
    const others = changes.filter(change => change !== newest)
    newest = current
    changes = [...others, current].slice(-mostChanges)
    await save(file, changes)
  }
  let newest: Step[] | undefined

  async function put(path: string, text: string, before: string | null) {
    const isNew = await site.write(path, text)
    await keep({ path, before, after: text })
    return { isNew }
  }

  async function writeSafely(path: string, text: string) {
    const before = await textOf(path)
    const loss = before === null ? undefined : lossOf(path, before, text)
    if (!loss) return put(path, text, before)
    waiting = { path, text, change: current }
    throw new LossError(loss)
  }

  async function remove(path: string): Promise<void> {
    const before = await textOf(path)
    await site.remove(path)
    await keep({ path, before, after: null })
  }

  async function writeWaiting(): Promise<string> {
    if (!waiting || waiting.change === current) throw new Error('no write waits for an answer')
    const { path, text } = waiting
    waiting = undefined
    await put(path, text, await textOf(path))
    return path
  }

  async function undo(): Promise<readonly string[]> {
    const steps = changes.at(-1)
    if (!steps) throw new Error('there is no change that could be taken back')
    for (const { path, after } of steps)
      if ((await textOf(path)) !== after)
        throw new Error(`${path} was changed by hand since, so nothing was taken back`)
    for (const { path, before } of steps)
      if (before === null) await site.remove(path)
      else await site.write(path, before)
    changes = changes.slice(0, -1)
    newest = undefined
    await save(file, changes)
    return steps.map(({ path }) => path).sort()
  }

  return {
    begin() {
      current = []
      newest = undefined
    },
    get canUndo() {
      return changes.length > 0
    },
    write: (path, text) => inTurn(() => writeSafely(path, text)),
    remove: path => inTurn(() => remove(path)),
    writeWaiting: () => inTurn(writeWaiting),
    undo: () => inTurn(undo),
  }
}

/** A line that stands for a text which is not there: "<!-- the rest as before -->". */
const standIn =
  /(?:<!--|\/\*|\/\/|\[)\s*(?:\.\.\.|…|(?:the )?(?:rest|remaining|remainder|existing|previous|other|same)\b)[^\n]{0,80}|^[ \t]*(?:\.\.\.|…)[ \t]*$/im

function lossOf(path: string, before: string, text: string): string | undefined {
  const line = standIn.exec(text)?.[0].trim()
  if (line !== undefined && !before.includes(line))
    return `${path} was not written: the line ${line.slice(0, 60)} stands for a text that would be gone`
  if (text.length * 3 >= before.length) return undefined
  return `${path} was not written: of ${before.length} characters ${text.length} would be left`
}

async function load(file: string | undefined): Promise<Step[][]> {
  if (file === undefined) return []
  const text = await readFile(file, 'utf8').catch(() => '[]')
  try {
    return kept.parse(JSON.parse(text))
  } catch {
    // A file that is no list of changes only means that they cannot be taken back.
    return []
  }
}

async function save(file: string | undefined, changes: readonly Step[][]): Promise<void> {
  if (file === undefined) return
  await writeFile(`${file}.new`, JSON.stringify(changes), { mode: 0o600 })
  await rename(`${file}.new`, file)
}
