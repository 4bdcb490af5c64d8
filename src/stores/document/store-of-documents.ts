import { toBase64 } from '../../log/base64.ts'
import { toDescription } from '../check-input.ts'
import { isLaterUse, lastUseOf } from '../rules/last-use.ts'
import type { Store } from '../store.ts'
import { NoConversationError } from '../store-error.ts'
import type { ConversationDocument, DocumentSource } from './conversation-document.ts'
import { heldMs, needBranch, ownerOf } from './conversation-document.ts'
import { documentReads, toInfo } from './document-reads.ts'
import { documentWrites, keepCache, keepCall, keepMarks } from './document-writes.ts'

export function storeOfDocuments(source: DocumentSource): Store {
  return {
    migrate: async () => [],
    ...documentWrites(source),
    ...documentReads(source),
    saveCall: (thread, call) =>
      source.change(thread, document => keepCall(needBranch(document, thread), call)),
    saveCache: (thread, key, at, bytes) =>
      source.change(thread, document =>
        keepCache(needBranch(document, thread), { key, at, base64: toBase64(bytes) }),
      ),
    saveMarks: (thread, marks) =>
      source.change(thread, document => keepMarks(needBranch(document, thread), marks, source.now())),
    async describeConversation(tenant, conversation, description) {
      const { title, metadata, person } = toDescription(description)
      await source.change({ tenant, conversation }, document => {
        if (document.branches.length === 0)
          throw new NoConversationError(conversation, document.isDeleted === true)
        if (title !== undefined) document.title = title
        if (metadata !== undefined) document.metadata = metadata
        if (person !== undefined) document.person = person
        const now = source.now()
        if (isLaterUse(now, document.usedAt)) document.usedAt = now
      })
    },
    async deleteCalls(tenant, before) {
      let count = 0
      for await (const { conversation, branches } of source.all(tenant)) {
        const isOld = ({ time }: { readonly time: number }) => time < before
        if (branches.some(({ calls }) => calls.some(isOld)))
          count += await source.change({ tenant, conversation }, document => removeCalls(document, isOld))
      }
      return count
    },
    deleteConversation: (tenant, conversation, { unusedSince } = {}) =>
      source.change({ tenant, conversation }, document => {
        const { branches } = document
        const isHeld = () => branches.some(branch => heldMs(branch, source.now()) > 0)
        const isOld = unusedSince !== undefined
        const isUsed = isOld && (lastUseOf(toInfo(document)) >= unusedSince || isHeld())
        if (branches.length === 0 || isUsed) return false
        const nothing = { title: null, metadata: null, person: null, usedAt: undefined, branches: [] }
        Object.assign(document, nothing, { isDeleted: !isOld })
        return true
      }),
    erase: (thread, seq, mark) =>
      source.change(thread, document => {
        const branch = ownerOf(document, needBranch(document, thread), seq)
        const at = seq - 1 - (branch.forkOf?.at ?? 0)
        const entry = branch.entries[at]
        if (!entry) return false
        branch.entries[at] = { ...entry, ...mark }
        for (const one of document.branches.filter(({ actor }) => actor === thread.actor)) {
          one.caches.length = 0
          one.calls = one.calls.filter(({ turn }) => turn < entry.turn)
        }
        return true
      }),
    check: async () => [],
    close: async () => {},
  }
}

function removeCalls(
  { branches }: ConversationDocument,
  isOld: (call: { readonly time: number }) => boolean,
): number {
  let count = 0
  for (const branch of branches) {
    const kept = branch.calls.filter(call => !isOld(call))
    count += branch.calls.length - kept.length
    branch.calls = kept
  }
  return count
}
