import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ask } from '../../api/client.ts'
import { handsQuery, inConversation, serverQuery, splitPlace } from '../../api/queries.ts'
import { notify } from '../../parts/notify.ts'
import { useScene } from './scene.ts'
import { readSide, writeSide } from './side.ts'

export type HandAct = 'pin' | 'hide' | 'erase'

/** What a person may do with a message. A pin or a hide is shown at once: as a comparison with what was sent. */
export function useHand(seq: number) {
  const { place, shownPoint } = useScene()
  const { thread, search, go } = place
  const client = useQueryClient()
  const { data: hands } = useQuery(handsQuery(thread))
  const { data: server } = useQuery(serverQuery)
  const isIn = (units: readonly { readonly first: number; readonly last: number }[] = []) =>
    units.some(({ first, last }) => first <= seq && seq <= last)
  const isSet = { pin: isIn(hands?.pinned), hide: isIn(hands?.hidden) }
  const { params, thread: query } = splitPlace(thread)
  const request = { params: { ...params, entry: String(seq) }, query }
  const work = useMutation({
    mutationFn: async (act: HandAct) => {
      const path = '/conversations/:conversation/entries/:entry'
      if (act === 'erase') await ask(`delete ${path}`, request)
      else await ask(`${isSet[act] ? 'delete' : 'post'} ${path}/${act}`, request)
    },
    onSuccess: (_, act) => {
      if (act === 'erase') {
        notify(`The text of #${seq} is gone.`)
        client.removeQueries({ queryKey: ['texts'] })
      }
      void client.invalidateQueries({ queryKey: inConversation(thread.conversation) })
      if (act === 'erase') return
      const { window, policy } = shownPoint
      const side = search.b === undefined ? { window, policy } : readSide(search.b, search.systemB)
      const shown = { entry: seq, as: undefined, card: undefined }
      go({ ...writeSide('B', { ...side, hands: 'now' }), ...shown }, { push: true })
    },
  })
  /** Why a key without a scope cannot do it. */
  const lacking = (wanted: 'chat' | 'admin') =>
    server && !server.scopes.includes(wanted)
      ? `This needs a key with the scope "${wanted}".`
      : undefined
  return { isSet, work, lacking }
}
