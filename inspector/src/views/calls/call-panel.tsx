import { useQuery } from '@tanstack/react-query'
import { Download, X } from 'lucide-react'
import { callDumpQuery, callQuery } from '../../api/queries.ts'
import type { AnswerOf } from '../../api/routes.ts'
import { threadSearch, usePlace } from '../../parts/address.ts'
import { BigText } from '../../parts/big-text.tsx'
import { Button } from '../../parts/button.tsx'
import { calibrationText } from '../../parts/calibration.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { download, toFileName } from '../../parts/download.ts'
import { adviceFor } from '../../parts/fault-words.ts'
import { count, fullTime } from '../../parts/format.ts'
import { Notice } from '../../parts/notice.tsx'
import { QueryState } from '../../parts/query-state.tsx'
import { ViewLink } from '../../parts/view-link.tsx'
import { shownDuration } from './call-durations.ts'
import styles from './call-panel.module.css'

export interface CallPanelProps {
  readonly call: AnswerOf<'get /conversations/:conversation/calls'>['calls'][number]
  readonly duration: number | undefined
  readonly onClose: () => void
}

/** One call: how it went, and the request that was sent. */
export function CallPanel({ call, duration, onClose }: CallPanelProps) {
  const { thread, search, go } = usePlace()
  const { id, turn, time, model, status, error, predicted, reported, window, reserve, policy, counter } = call
  const isDump = search.as === 'dump'
  const messages = useQuery({ ...callQuery(thread, id), enabled: !isDump })
  const dumped = useQuery({ ...callDumpQuery(thread, id), enabled: isDump })
  const at = { ...threadSearch(search), turn, call: id }
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['sent', fullTime(time)],
    ['took', duration === undefined ? undefined : shownDuration(duration)],
    [
      'tokens',
      `${count(predicted)} predicted${reported === undefined ? '' : `, ${count(reported)} reported`}`,
    ],
    ['from cache', fromCache(call)],
    ['window', `${count(window)}, of which ${count(reserve)} for the reply`],
    ['calibration', call.factor === undefined ? undefined : calibrationText(call.factor)],
    ['policy', policy],
    ['counted by', counter],
    ['id', id],
  ]
  return (
    <aside className={`panel ${styles.panel}`} aria-label={`Call of turn ${turn}`}>
      <header className={`row between gap-2 line-below ${styles.head}`}>
        <h2 className="cut heading" title={model}>
          {model}
        </h2>
        <Button kind="icon" aria-label="Close" onClick={onClose}>
          <X size={16} aria-hidden />
        </Button>
      </header>
      {status !== 'completed' && status !== 'sent' && (
        <div className={styles.fault}>
          <Notice kind={status === 'failed' ? 'danger' : 'plain'}>
            {statusTexts[status]}
            {error !== undefined && ` (${error})`}.{' '}
            {status === 'failed' && error !== undefined && adviceFor(error, model)}
          </Notice>
        </div>
      )}
      <dl className={`flex wraps text-12-18 ${styles.facts}`}>
        {facts.map(
          ([name, value]) =>
            value !== undefined && (
              <div className="flex gap-6px slim" key={name}>
                <dt className="muted">{name}</dt>
                <dd className="breaks">{value}</dd>
              </div>
            ),
        )}
      </dl>
      <p className={`flex wraps gap-4 accent links ${styles.links}`}>
        <ViewLink view="context" search={at}>
          Context of this call
        </ViewLink>
        <ViewLink view="dump" search={at}>
          Open its dump
        </ViewLink>
      </p>
      <div className={`flex gap-2px ${styles.bar}`}>
        <Button kind="plain" aria-pressed={!isDump} onClick={() => go({ as: undefined })}>
          The request as JSON
        </Button>
        <Button kind="plain" aria-pressed={isDump} onClick={() => go({ as: 'dump' })}>
          As text
        </Button>
      </div>
      {isDump ? (
        <QueryState query={dumped}>
          {text => <Sent text={text} label="What was sent, as text" name={`${id}.txt`} />}
        </QueryState>
      ) : (
        <QueryState query={messages}>
          {({ model, settings, tools, messages }) => (
            <Sent
              text={JSON.stringify(
                { model, ...settings, tools, messages: messages.map(withoutTime) },
                null,
                2,
              )}
              label="What was sent, as JSON"
              name={`${id}.json`}
            />
          )}
        </QueryState>
      )}
    </aside>
  )
}

/** The log adds a time to messages, which is not sent to the model. */
const withoutTime = ({ time: _, ...message }: Readonly<Record<string, unknown>>) => message

/** The tokens that the model server took from its cache, and how many were expected. */
function fromCache({ cached, reused, cacheLost }: CallPanelProps['call']): string | undefined {
  if (cached === undefined) return undefined
  const expected = reused === undefined ? '' : `, ${count(reused)} expected`
  return `${count(cached)}${expected}${cacheLost === undefined ? '' : `: ${cacheLost}`}`
}

const statusTexts = {
  failed: 'The call failed',
  cancelled: 'The call was cancelled',
  interrupted: 'The process died before the call was over',
} as const

function Sent({
  text,
  label,
  name,
}: {
  readonly text: string
  readonly label: string
  readonly name: string
}) {
  return (
    <>
      <div className={styles.actions}>
        <CopyButton text={text} />
        <Button kind="plain" onClick={() => download(new Blob([text]), toFileName(name))}>
          <Download size={14} aria-hidden /> Download
        </Button>
      </div>
      <BigText text={text} label={label} />
    </>
  )
}
