import { useQuery } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { BodyOf } from '../../api/client.ts'
import { serverQuery, type ThreadAddress } from '../../api/queries.ts'
import { threadSearch } from '../../parts/address.ts'
import { Button } from '../../parts/button.tsx'
import { askReply, type LiveReply, refusals, replies, stopReply } from '../../parts/live-replies.ts'
import { Notice } from '../../parts/notice.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { ViewLink } from '../../parts/view-link.tsx'
import styles from './ask-again.module.css'
import { useScene } from './scene.ts'

interface AskAgainProps {
  /** The window and policy to answer with; what is not set is as the server has it. */
  readonly settings: BodyOf<'post /conversations/:conversation/regenerate'>
  /** The answer that there is. */
  readonly old: string
  readonly label?: string
}

/** Answers a turn again on a new branch, with what is pinned and hidden now, and puts the new answer beside the old. */
export function AskAgain({ settings, old, label = 'Ask again' }: AskAgainProps) {
  const { place, entries, shownPoint: point, moment } = useScene()
  const [asked, setAsked] = useState<ThreadAddress>()
  const { data: server } = useQuery(serverQuery)
  const isOfTools = entries.some(({ turn, role }) => turn === point.turn && role === 'tool')
  const why = !server?.scopes.includes('chat')
    ? 'This needs a key with the scope "chat".'
    : isOfTools
      ? 'This turn used tools, which only its client can run.'
      : undefined
  const start = () => {
    const model = moment.call?.model
    const request = { kind: 'again', at: point.at, upTo: point.at, settings, model } as const
    setAsked(askReply(place.thread, entries.length, request).thread)
  }
  return (
    <>
      <Button why={why} onClick={start}>
        <RotateCw size={14} aria-hidden /> {label}
      </Button>
      {asked && (
        <Sheet title="The old answer and the new one" onClose={() => setAsked(undefined)}>
          <Answers {...{ asked, old }} />
        </Sheet>
      )}
    </>
  )
}

function Answers({ asked, old }: { readonly asked: ThreadAddress; readonly old: string }) {
  const { thread } = useScene().place
  const live = replies.use(asked)
  const refusal = refusals.use(thread)
  const [last, setLast] = useState<LiveReply>()
  useEffect(() => {
    if (live) setLast(live)
  }, [live])
  const shown = live ?? last
  const text = shown?.parts.map(part => (part.kind === 'text' ? part.text : '')).join('')
  const fault = shown?.fault ?? refusal
  return (
    <div className={styles.body}>
      <div className={`grid gap-4 ${styles.answers}`}>
        <section aria-label="The old answer">
          <h3 className="small-heading">Before</h3>
          <p className="written">{old}</p>
        </section>
        <section aria-label="The new answer" aria-busy={live !== undefined}>
          <h3 className="small-heading">Now</h3>
          <p className="written">{text || (live ? 'Asking …' : '')}</p>
          {fault && <Notice kind="danger">{fault.message}</Notice>}
        </section>
      </div>
      <p className="row gap-2">
        {live ? (
          <Button onClick={() => void stopReply(asked)}>Stop</Button>
        ) : (
          text && (
            <ViewLink view="context" className="accent" search={threadSearch(asked)}>
              Open the new branch
            </ViewLink>
          )
        )}
        <span className="muted text-12">
          {fault && !text ? 'There is no new answer. ' : ''}The old branch stays as it is.
        </span>
      </p>
    </div>
  )
}
