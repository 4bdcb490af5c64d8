/** The chat of the site editor: what the model is told, its tools, and its notes to itself. */
import { type Chat, createChat } from 'throughline/chat'
import type { History } from 'throughline/history'
import type { Model } from 'throughline/models'
import type { SiteChanges } from './changes.ts'
import type { SiteFolder } from './site-folder.ts'
import { siteTools } from './site-tools.ts'

export interface SiteChatOptions {
  readonly history: History
  readonly model: Model
  readonly site: SiteFolder
  readonly changes: SiteChanges
  /** Only a note with this secret counts: a page that a tool reads cannot forge one. */
  readonly nonce: string
  readonly window?: number
  readonly slowMs?: number
}

const system = `You edit a small site of plain HTML and CSS for its owner. Look at the files with list_files and read_file before you change them with write_file, which replaces a whole file. Then say in one or two sentences what you did.`

/** Always in the system prompt, whatever is cut from the conversation. */
const pins = [
  'WORKING FOLDER (use for all path-based tools): the root of the site; "index.html" is its first page',
]

export const createSiteChat = ({
  site,
  changes,
  nonce,
  slowMs = 0,
  ...options
}: SiteChatOptions): Chat =>
  createChat({
    ...options,
    system,
    pins,
    tools: siteTools(site, changes, { slowMs }),
    notes: { place: 'system', nonce },
    cancelledTurn: 'disregard',
  })
