/** What the model can do: list, read, write and remove the files of the site, and take a change back. An error becomes a result that says what to do. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseMessage } from 'throughline'
import { defineTool, type Tool } from 'throughline/chat'
import { getContext } from 'throughline/request'
import { z } from 'zod'
import { LossError, type SiteChanges } from './changes.ts'
import type { SiteFolder } from './site-folder.ts'
import { understand } from './understand.ts'

export interface SiteToolsOptions {
  /** A pause before each tool does its work, so that a cancel or a crash in the middle can be tried. */
  readonly slowMs?: number
}

export function siteTools(
  site: SiteFolder,
  changes: SiteChanges,
  { slowMs = 0 }: SiteToolsOptions = {},
): readonly Tool[] {
  const path = z.string().describe('The path in the site, such as index.html')
  return [
    defineTool({
      name: 'list_files',
      description: 'Lists the files of the site, one path a line.',
      input: z.object({}),
      async run(_, { signal }) {
        await sleep(slowMs, undefined, { signal })
        return (await site.list()).join('\n')
      },
    }),
    defineTool({
      name: 'read_file',
      description: 'Reads a file of the site.',
      input: z.object({ path }),
      async run({ path }, { signal }) {
        await sleep(slowMs, undefined, { signal })
        return site.readText(path)
      },
    }),
    defineTool({
      name: 'write_file',
      description: 'Writes a file of the site, whole. What was in it before is gone.',
      input: z.object({ path, text: z.string().describe('The whole new text of the file') }),
      async run({ path, text }, { signal }) {
        await sleep(slowMs, undefined, { signal })
        const { isNew } = await changes.write(path, text).catch(askFirst)
        return `${isNew ? 'Created' : 'Changed'}, ${text.length} characters now.`
      },
    }),
    defineTool({
      name: 'remove_file',
      description: 'Removes a file.',
      input: z.object({ path }),
      async run({ path }, { signal }) {
        await sleep(slowMs, undefined, { signal })
        await changes.remove(path)
        return 'Removed.'
      },
    }),
    defineTool({
      name: 'undo_change',
      description: 'Takes the last change back.',
      input: z.object({}),
      async run(_, { signal }) {
        await sleep(slowMs, undefined, { signal })
        return (await changes.undo()).join('\n')
      },
    }),
    defineTool({
      name: 'write_anyway',
      description: 'For "write it anyway" only.',
      input: z.object({}),
      async run(_, { signal }) {
        await sleep(slowMs, undefined, { signal })
        // A model may well answer for the user: the user's own words decide.
        if (!mayWrite(newestRequest()))
          throw new Error('the user has not said "write it anyway": ask')
        return changes.writeWaiting()
      },
    }),
  ]
}

function askFirst(error: unknown): never {
  if (error instanceof LossError)
    throw new Error(
      `${error.message}. Ask the user: only after "write it anyway" does write_anyway write it.`,
    )
  throw error
}

const mayWrite = (request: string) => understand(request, { notes: [] })?.kind === 'anyway'

/** The newest message of the user, from the whole log. */
function newestRequest(): string {
  const newest = getContext()
    .conversation.map(parseMessage)
    .findLast(({ role }) => role === 'user')
  return newest?.text ?? ''
}
