import type { ConversationDocument, DocumentKey } from './conversation-document.ts'

/** Where documents are kept: in memory, or wherever a user of `documentStore` keeps them. */
export interface DocumentSource {
  now(): number
  nextNumber(): number
  /** Undefined for a conversation that was never written to. */
  read(names: DocumentKey): Promise<ConversationDocument | undefined>
  /**
   * One transaction. `work` gets the document, or an empty one, and changes it. A document without branches that is no
   * tombstone is not kept. What `work` throws is thrown; until then it may have changed nothing but the time of a lease.
   */
  change<T>(names: DocumentKey, work: (document: ConversationDocument) => T): Promise<T>
  /** The conversations of a tenant, or of all, also those that were deleted. */
  all(tenant?: string): AsyncIterable<ConversationDocument>
}
