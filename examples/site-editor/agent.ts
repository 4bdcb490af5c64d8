/** The agent: a chat with a log on disk, notes to itself, and the tools of the site. */
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Chat } from 'throughline/chat'
import { createHistory, type History, type Thread } from 'throughline/history'
import type { Model } from 'throughline/models'
import { memoryStore } from 'throughline/stores'
import { sqliteStore } from 'throughline/stores/sqlite'
import { openChanges, type SiteChanges } from './changes.ts'
import { createSiteChat } from './site-chat.ts'
import { openSite, type SiteFolder } from './site-folder.ts'

export interface AgentOptions {
  /** The folder of the log and of the site. */
  readonly data: string
  readonly model: Model
  /** A pause before each tool works. */
  readonly slowMs?: number | undefined
  /** Keeps the log in memory, where a crash loses it: to see the difference. */
  readonly isInMemory?: boolean | undefined
}

export interface Agent {
  readonly model: Model
  readonly site: SiteFolder
  readonly changes: SiteChanges
  readonly history: History
  readonly thread: Thread
  readonly chat: Chat
}

/** There is one site, so there is one conversation. */
export const conversation = 'site'

export async function createAgent({
  data,
  model,
  slowMs = 0,
  isInMemory,
}: AgentOptions): Promise<Agent> {
  await mkdir(data, { recursive: true })
  const site = await openSite(join(data, 'site'))
  const changes = await openChanges(site, join(data, 'changes.json'))
  const store = isInMemory ? memoryStore() : sqliteStore({ path: join(data, 'log.db') })
  const history = createHistory({ store })
  const nonce = await keptNonce(join(data, 'note-nonce'))
  const chat = createSiteChat({ history, model, site, changes, nonce, slowMs })
  return { model, site, changes, history, thread: history.thread(conversation), chat }
}

/**
 * Only a note with this secret counts: a page that a tool reads cannot forge one. It is kept beside the log, so
 * that the prompt is the same after a restart.
 */
async function keptNonce(path: string): Promise<string> {
  const kept = await readFile(path, 'utf8').catch(() => '')
  if (kept !== '') return kept
  const made = randomUUID().slice(0, 8)
  await writeFile(path, made, { mode: 0o600 })
  return made
}
