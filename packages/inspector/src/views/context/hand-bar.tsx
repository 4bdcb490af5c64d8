import { Eraser, EyeOff, Pin } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Notice } from '../../parts/notice.tsx'
import { useScene } from './scene.ts'
import { useHand } from './use-hand.ts'

/** The buttons for what a person may do with a message. */
export function HandBar({ seq }: { readonly seq: number }) {
  const { entries } = useScene()
  const { isSet, work, lacking } = useHand(seq)
  const [isErasing, setErasing] = useState(false)
  const entry = entries[seq - 1]!
  const isFixed = entry.role === 'system' ? 'System messages are always sent.' : undefined
  const gone = entry.isErased ? 'Its text was erased.' : undefined
  const line = (act: 'pin' | 'hide', name: string, taken: string, icon: React.ReactNode) => (
    <Button
      aria-pressed={isSet[act]}
      why={isFixed ?? gone ?? lacking('chat')}
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
        <Button kind="danger" why={gone ?? lacking('admin')} onClick={() => setErasing(true)}>
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
          onConfirm={() => work.mutate('erase', { onSuccess: () => setErasing(false) })}
          onClose={() => setErasing(false)}
        >
          It goes from the log, the search, stored calls from its turn on, quotes and exports. This
          cannot be undone. A mark stays in its place.
        </ConfirmDialog>
      )}
    </>
  )
}
