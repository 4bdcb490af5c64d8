import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { StoreError } from 'throughline/stores'
import type { Branch } from './branch.ts'

/** A conversation as it stands in its file. */
export interface Conversation {
  readonly tenant: string
  readonly conversation: string
  /** A tombstone: everything else is gone. */
  readonly isDeleted?: boolean
  createdAt: number
  updatedAt: number
  title?: string | null
  /** As JSON text. */
  metadata?: string | null
  readonly branches: Branch[]
}

/** A folder for each tenant, in it a file for each conversation. */
export function openFolder(folder: string) {
  let isOpen = true
  // Any text may be a name, so files are named after hashes.
  const hash = (name: string) => createHash('sha256').update(name).digest('hex')
  const folderOf = (tenant: string) => join(folder, hash(tenant))
  const pathOf = (tenant: string, conversation: string) =>
    join(folderOf(tenant), `${hash(conversation)}.json`)

  return {
    read(tenant: string, conversation: string): Conversation | undefined {
      checkOpen()
      const path = pathOf(tenant, conversation)
      return existsSync(path) ? parse(path) : undefined
    },
    /** The conversations of a tenant that are not deleted. */
    all(tenant: string): Conversation[] {
      checkOpen()
      return filesIn(folderOf(tenant))
        .map(parse)
        .filter(({ isDeleted }) => !isDeleted)
    },
    /** Writes beside the old file and puts it in its place: on disk when this returns, and never half of it. */
    write(stored: Conversation): void {
      const path = pathOf(stored.tenant, stored.conversation)
      mkdirSync(folderOf(stored.tenant), { recursive: true })
      writeFileSync(`${path}.new`, JSON.stringify(stored))
      sync(`${path}.new`)
      renameSync(`${path}.new`, path)
      sync(folderOf(stored.tenant))
    },
    /** The files that cannot be read. */
    check: (): string[] =>
      listIn(folder)
        .flatMap(tenant => filesIn(join(folder, tenant)))
        .filter(path => !isReadable(path))
        .map(path => `${path} is no JSON`),
    close(): void {
      isOpen = false
    },
  }

  function checkOpen() {
    if (!isOpen) throw new StoreError('store_closed', 'The store is closed: make another one.')
  }
}

const listIn = (path: string) => (existsSync(path) ? readdirSync(path) : [])

const filesIn = (path: string) =>
  listIn(path)
    .filter(name => name.endsWith('.json'))
    .map(name => join(path, name))

function parse(path: string): Conversation {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    throw new StoreError('store_corrupt', `${path} cannot be read: take it from a backup.`, { cause })
  }
}

function isReadable(path: string): boolean {
  try {
    return parse(path) !== undefined
  } catch {
    return false
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}
