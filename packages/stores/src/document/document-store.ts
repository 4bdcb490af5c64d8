import { refuseUnknown, ThroughlineError } from '@throughline/core/errors'
import { isObject, parseJson } from '@throughline/core/values'
import { checkedStore } from '../checked-store.ts'
import type { ConversationKey, Store } from '../store.ts'
import { OutcomeUnknownError, StoreError } from '../store-error.ts'
import { type ConversationDocument, emptyDocument } from './conversation-document.ts'
import { storeOfDocuments } from './store-of-documents.ts'

/** What a plain database gives `documentStore`: documents that are loaded, saved and listed. */
export interface DocumentStoreOptions<Version> {
  /** The text of a document, and its version: any value that changes with every save. Undefined where there is none. */
  load(name: string): Promise<{ readonly text: string; readonly version: Version } | undefined>
  /**
   * Saves a document, if `expected` is still its version; undefined: if there is none yet. Returns false where another writer
   * has saved it meanwhile, and then changes nothing. Compare and save in one step: two writers must never both get true.
   */
  save(name: string, text: string, expected: Version | undefined): Promise<boolean>
  /** The names of all documents that begin with a text. */
  list(prefix: string): Promise<Iterable<string>>
  /** The clock for times and leases, in milliseconds. Default `Date.now`. */
  readonly now?: () => number
  /** The largest entry, in bytes. Default 8 MiB. */
  readonly maxEntryBytes?: number
}

/**
 * A store of your own, of three functions: each conversation is one document, a JSON text under a name. Every write loads
 * and saves the whole document; lists, marks and search load all documents of a tenant. So it is for conversations of up
 * to some thousand messages.
 *
 * @example
 * const texts = new Map<string, string>()
 * const store = documentStore({
 *   load: async name => (texts.has(name) ? { text: texts.get(name)!, version: texts.get(name)! } : undefined),
 *   save: async (name, text, expected) => texts.get(name) === expected && !!texts.set(name, text),
 *   list: async prefix => [...texts.keys()].filter(name => name.startsWith(prefix)),
 * })
 */
export function documentStore<Version>(options: DocumentStoreOptions<Version>): Store {
  refuseUnknown(options, { load: 1, save: 1, list: 1, now: 1, maxEntryBytes: 1 })
  const { now = Date.now, maxEntryBytes } = options
  const inTurn = createQueues()

  async function load(name: string) {
    const loaded = await attempt(() => options.load(name), unavailable)
    return loaded && { ...loaded, document: parseDocument(name, loaded.text) }
  }

  const save = (name: string, text: string, expected: Version | undefined) =>
    attempt(
      () => options.save(name, text, expected),
      cause =>
        new OutcomeUnknownError(`The document may be saved or not (${messageOf(cause)})`, cause),
    )

  /** Does the work on the newest document, and saves it. False if another writer saved the document meanwhile. */
  async function tryChange<T>(
    name: string,
    names: ConversationKey,
    work: (document: ConversationDocument) => T,
  ) {
    const loaded = await load(name)
    const isThere = loaded && (loaded.document.branches.length > 0 || loaded.document.isDeleted)
    const document = isThere ? loaded.document : emptyDocument(names, now())
    let outcome: { readonly result: T } | { readonly error: unknown }
    try {
      outcome = { result: work(document) }
    } catch (error) {
      // All that a refused work may have changed is how long a lease still holds.
      outcome = { error }
    }
    const text = JSON.stringify(document)
    const isKept = document.branches.length > 0 || document.isDeleted === true
    const isSame = loaded ? text === loaded.text : !isKept
    if (!isSame && !(await save(name, text, loaded?.version))) return undefined
    if ('error' in outcome) throw outcome.error
    return outcome
  }

  async function change<T>(
    names: ConversationKey,
    work: (document: ConversationDocument) => T,
  ): Promise<T> {
    const name = await nameOf(names)
    return inTurn(name, async () => {
      for (let tries = 0; tries < mostTries; tries++) {
        // Two writers that wait for different times do not meet again.
        if (tries > 0) await sleep(Math.random() * 10 * tries)
        const outcome = await tryChange(name, names, work)
        if (outcome) return outcome.result
      }
      throw new StoreError(
        'store_busy',
        `Others saved the document ${mostTries} times meanwhile: retry.`,
      )
    })
  }

  async function* documents(prefix: string) {
    for (const name of await attempt(() => options.list(prefix), unavailable)) {
      const loaded = await load(name)
      if (loaded) yield loaded.document
    }
  }

  const store = storeOfDocuments({
    now,
    nextNumber: now,
    read: async names => (await load(await nameOf(names)))?.document,
    change,
    async *all(tenant) {
      yield* documents(tenant === undefined ? '' : await folderOf(tenant))
    },
  })
  return checkedStore({ ...store, check }, maxEntryBytes)

  async function check(): Promise<readonly string[]> {
    const problems: string[] = []
    for (const name of await attempt(() => options.list(''), unavailable)) {
      const problem = await load(name).then(
        loaded => loaded && problemOf(loaded.document),
        (error: Error) => error.message,
      )
      if (problem) problems.push(`${name}: ${problem}`)
    }
    return problems
  }
}

/** How often a document is loaded again because another writer has saved it. */
const mostTries = 20

/** Texts of any length and with any characters become names that every file system and every service takes. */
const nameOf = async ({ tenant, conversation }: ConversationKey) =>
  `${await folderOf(tenant)}${await hashOf(conversation)}.json`

const folderOf = async (tenant: string) => `${await hashOf(tenant)}/`

async function hashOf(text: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(hash.subarray(0, 16), byte => byte.toString(16).padStart(2, '0')).join('')
}

function parseDocument(name: string, text: string): ConversationDocument {
  const document = parseJson(text)
  if (isObject(document) && document.format === 1 && Array.isArray(document.branches))
    return document as unknown as ConversationDocument
  throw new StoreError(
    'store_corrupt',
    `The document ${name} is no conversation: take it from a backup.`,
  )
}

function problemOf({ branches }: ConversationDocument): string | undefined {
  for (const { actor, branch, forkOf, pastTurns, entries, turns } of branches) {
    const isCounted =
      entries.every(({ seq }, n) => seq === (forkOf?.at ?? 0) + n + 1) &&
      turns.every(({ turn }, n) => turn === pastTurns + n + 1)
    if (!isCounted)
      return `the entries or turns of "${actor}/${branch}" are not numbered without gaps`
  }
  return undefined
}

const unavailable = (cause: unknown) =>
  new StoreError('store_unavailable', `The document cannot be read: ${messageOf(cause)}.`, {
    cause,
  })

/** Calls a function of the user. An error that is not ours becomes one that callers know what to do with. */
async function attempt<T>(work: () => Promise<T>, toError: (cause: unknown) => Error): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw cause instanceof ThroughlineError ? cause : toError(cause)
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const sleep = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** Queues the writes to each document, so that writers of one process never conflict. */
function createQueues() {
  const last = new Map<string, Promise<unknown>>()
  return <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const result = (last.get(name) ?? Promise.resolve()).then(work)
    const settled = result
      .catch(() => undefined)
      .then(() => {
        if (last.get(name) === settled) last.delete(name)
      })
    last.set(name, settled)
    return result
  }
}
