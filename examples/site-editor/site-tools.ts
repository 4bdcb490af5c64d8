/** What the model can do: list, read and write the files of the site. An error becomes a result that says what to do. */
import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool, type Tool } from 'throughline/chat'
import { z } from 'zod'
import type { SiteFolder } from './site-folder.ts'

export interface SiteToolsOptions {
  /** A pause before each tool does its work, so that a cancel or a crash in the middle can be tried. */
  readonly slowMs?: number
}

export function siteTools(site: SiteFolder, { slowMs = 0 }: SiteToolsOptions = {}): readonly Tool[] {
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
        const isNew = await site.write(path, text)
        return `${isNew ? 'Created' : 'Changed'}, ${text.length} characters now.`
      },
    }),
  ]
}
