import { askBytes } from '../../api/client.ts'
import type { ListedConversation } from '../../api/conversation-list.ts'
import { download, toFileName } from '../../parts/download.ts'
import { notify } from '../../parts/notify.ts'
import { titleOf } from '../../parts/title-of.ts'

/** Gives a person the whole conversation as a file: the lines of the server's export as they are. */
export async function exportConversation(one: ListedConversation): Promise<void> {
  const { conversation } = one
  try {
    const file = await askBytes('get /conversations/:conversation/export', { params: { conversation } })
    download(file, `${toFileName(conversation)}.jsonl`)
    notify(`${titleOf(one)} was exported.`)
  } catch (error) {
    notify((error as Error).message, 'danger')
  }
}
