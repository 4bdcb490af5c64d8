import { createHash } from 'node:crypto'
import { readActions } from '@throughline/core/notes'
import type {
  ApplicationPlace,
  OpenApplication,
  SaidPart,
  SiteDrawing,
} from '@throughline/gallery/application'
import { openChanges, type SiteChanges } from '../../examples/site-editor/changes.ts'
import { titleOf } from '../../examples/site-editor/edit-page.ts'
import { editorRules } from '../../examples/site-editor/editor-rules.ts'
import { createSiteChat } from '../../examples/site-editor/site-chat.ts'
import { siteChips } from '../../examples/site-editor/site-chips.ts'
import type { SiteFolder } from '../../examples/site-editor/site-folder.ts'
import { isOfChange } from '../../examples/site-editor/understand.ts'
import { fieldsOf } from './fields-of.ts'
import { memorySite } from './memory-site.ts'
import { readTalk, type TalkTurn, toSaid, toSaidParts } from './talk.ts'

const window = 4096

/** The site editor of the examples. Its files are no files: they are what the tool calls of the log have made of the first ones. */
export function open({ history, conversation, model }: ApplicationPlace): OpenApplication {
  const thread = history.thread(conversation)
  // The same after a restart, so that the prompt is too.
  const nonce = createHash('sha256').update(conversation).digest('hex').slice(0, 8)

  async function* say(text: string, signal: AbortSignal): AsyncGenerator<SaidPart> {
    const { site, changes } = await buildSite(await readTalk(thread))
    changes.begin()
    const chat = createSiteChat({
      ...{ history, site, changes, nonce, window },
      model: model ?? editorRules(),
    })
    yield* toSaidParts(chat.send(text, { conversation, signal }))
  }

  return {
    say,
    async state() {
      const turns = await readTalk(thread)
      const { site, changes, writtenIn, waits } = await buildSite(turns)
      const files = await site.list()
      const notes = turns.flatMap(({ note }) =>
        note !== undefined && isOfChange(note) ? [note] : [],
      )
      const known = { files, notes, canUndo: changes.canUndo }
      return {
        chips: [...siteChips(known, turns.at(-1)?.answer)],
        ...(changes.canUndo && { undo: 'undo' }),
        said: toSaid(turns),
        more: [],
        drawing: await draw(site, writtenIn, waits),
      }
    },
  }
}

interface BuiltSite {
  readonly site: SiteFolder
  readonly changes: SiteChanges
  /** The turns that changed a file. */
  readonly writtenIn: ReadonlyMap<string, readonly number[]>
  /** Why the newest write was not done, while it waits for an answer. */
  readonly waits: string | undefined
}

/** Makes the site again from the log: the same calls give the same files. */
async function buildSite(turns: readonly TalkTurn[]): Promise<BuiltSite> {
  const site = memorySite()
  const changes = await openChanges(site)
  const writtenIn = new Map<string, readonly number[]>()
  let waits: string | undefined
  for (const { turn, messages } of turns) {
    changes.begin()
    waits = undefined
    for (const { call, result } of readActions(messages)) {
      const isLoss = result?.includes(' was not written: ') ?? false
      // What failed changed nothing then, and is not tried again; but a write that was refused for its loss waits.
      if (result === undefined || (result.startsWith('Error: ') && !isLoss)) continue
      const { path = '', text = '' } = fieldsOf(call.arguments)
      const changed = await repeat(call.name, { path, text }, changes)
      if (isLoss) waits = result.replace(/^Error: /, '').split('. Ask the user')[0]
      for (const one of changed) writtenIn.set(one, [...(writtenIn.get(one) ?? []), turn])
    }
  }
  return { site, changes, writtenIn, waits }
}

/** Does once more what a call of the log did. Gives the files that it changed. */
async function repeat(
  name: string,
  { path, text }: Readonly<Record<'path' | 'text', string>>,
  changes: SiteChanges,
): Promise<readonly string[]> {
  try {
    switch (name) {
      case 'write_file':
        await changes.write(path, text)
        return [path]
      case 'remove_file':
        await changes.remove(path)
        return [path]
      case 'undo_change':
        return await changes.undo()
      case 'write_anyway':
        return [await changes.writeWaiting()]
      default:
        return []
    }
  } catch {
    // A write that would lose text waits. A log that was erased in part may not hold every call: the rest still counts.
    return []
  }
}

async function draw(
  site: SiteFolder,
  writtenIn: BuiltSite['writtenIn'],
  waits: string | undefined,
): Promise<SiteDrawing> {
  const paths = await site.list()
  const texts = new Map<string, string>()
  for (const path of paths) texts.set(path, await site.readText(path))
  const style = texts.get('style.css') ?? ''
  return {
    kind: 'site',
    files: paths.map(path => ({
      path,
      characters: texts.get(path)!.length,
      turns: [...new Set(writtenIn.get(path) ?? [])],
    })),
    pages: paths
      .filter(path => path.endsWith('.html'))
      .map(path => ({
        path,
        title: titleOf(texts.get(path)!) ?? path,
        html: withStyle(texts.get(path)!, style),
      })),
    ...(waits !== undefined && { waits }),
  }
}

/** A page with its style sheet inside, so that it can be shown without being served. */
const withStyle = (html: string, style: string): string =>
  html.replace(
    /<link rel="stylesheet" href="style\.css">/,
    () => `<style>${style.replaceAll('</', '<\\/')}</style>`,
  )
