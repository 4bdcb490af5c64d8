import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Eraser, EyeOff, Pin } from 'lucide-react'
import { useState } from 'react'
import { ask } from '../../api/client.ts'
import { handsQuery, inConversation, serverQuery, splitPlace } from '../../api/queries.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Notice } from '../../parts/notice.tsx'
import { notify } from '../../parts/notify.ts'
import { useScene } from './scene.ts'
import { readSide, writeSide } from './side.ts'

type Act = 'pin' | 'hide' | 'erase'

/** What a person may do with a message. A pin or a hide is shown at once: as a comparison with what was sent. */
export function HandBar({ seq }: { readonly seq: number }) {
  const { place, entries, shownPoint } = useScene()
  const { thread, search, go } = place
  const client = useQueryClient()
  const { data: hands } = useQuery(handsQuery(thread))
  const { data: server } = useQuery(serverQuery)
  const [isErasing, setErasing] = useState(false)
  const isIn = (units: readonly { readonly first: number; readonly last: number }[] = []) =>
    units.some(({ first, last }) => first <= seq && seq <= last)
  const isSet = { pin: isIn(hands?.pinned), hide: isIn(hands?.hidden) }
  const entry = entries[seq - 1]!
  const { params, thread: query } = splitPlace(thread)
  const request = { params: { ...params, entry: String(seq) }, query }
  const work = useMutation({
    mutationFn: async (act: Act) => {
      const path = '/conversations/:conversation/entries/:entry'
      if (act === 'erase') await ask(`delete ${path}`, request)
      else await ask(`${isSet[act] ? 'delete' : 'post'} ${path}/${act}`, request)
    },
    onSuccess: (_, act) => {
      setErasing(false)
      if (act === 'erase') {
        notify(`The text of #${seq} is gone.`)
        client.removeQueries({ queryKey: ['texts'] })
      }
      void client.invalidateQueries({ queryKey: inConversation(thread.conversation) })
      if (act === 'erase') return
      const { window, policy } = shownPoint
      const side = search.b === undefined ? { window, policy } : readSide(search.b, search.systemB)
      go({ ...writeSide('B', { ...side, hands: 'now' }), as: undefined }, { push: true })
    },
  })
  const scope = (wanted: 'chat' | 'admin') =>
    server && !server.scopes.includes(wanted)
      ? `This needs a key with the scope "${wanted}".`
      : undefined
  const isFixed = entry.role === 'system' ? 'System messages are always sent.' : undefined
  const gone = entry.isErased ? 'Its text was erased.' : undefined
  const line = (act: 'pin' | 'hide', name: string, taken: string, icon: React.ReactNode) => (
    <Button
      aria-pressed={isSet[act]}
      why={isFixed ?? gone ?? scope('chat')}
      onClick={() => work.isPending || work.mutate(act)}
    >
      {icon} {isSet[act] ? taken : name}
    </Button>
  )
  return (
    <>
      <div
        className="flex wraps gap-1 space-above-2"
        role="group"
        aria-label={`What to do with #${seq}`}
      >
        {line('pin', 'Pin', 'Unpin', <Pin size={14} aria-hidden />)}
        {line('hide', 'Hide', 'Show again', <EyeOff size={14} aria-hidden />)}
        <Button kind="danger" why={gone ?? scope('admin')} onClick={() => setErasing(true)}>
          <Eraser size={14} aria-hidden /> Erase …
        </Button>
      </div>
      {work.error && <Notice kind="danger">{work.error.message}</Notice>}
      {isErasing && (
        <ConfirmDialog
          title={`Erase the text of #${seq}?`}
          action="Erase"
          refusal="Keep it"
          isPending={work.isPending}
          onConfirm={() => work.mutate('erase')}
          onClose={() => setErasing(false)}
        >
          It goes from the log, the search, stored calls from its turn on, quotes and exports. This
          cannot be undone. A mark stays in its place.
        </ConfirmDialog>
      )}
    </>
  )
}
