import { useEffect, useLayoutEffect, useRef } from 'react'
import { Button } from '../../parts/button.tsx'
import styles from './message-area.module.css'
import type { RowActions } from './message-row.tsx'

interface MessageAreaProps extends Omit<React.ComponentProps<'textarea'>, 'onChange'> {
  readonly ref: React.RefObject<HTMLTextAreaElement | null>
  readonly value: string
  readonly onChange: (text: string) => void
  readonly onSend: () => void
}

/** Where a message is typed: as high as its text, as its style says at most. Enter sends. */
export function MessageArea({ ref, value, onChange, onSend, onKeyDown, ...area }: MessageAreaProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text decides the height
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight}px`
  }, [ref, value])
  return (
    <textarea
      {...{ ref, value, ...area }}
      rows={1}
      dir="auto"
      onChange={event => onChange(event.target.value)}
      onKeyDown={event => {
        if (!isSendKey(event)) return onKeyDown?.(event)
        event.preventDefault()
        onSend()
      }}
    />
  )
}

/** Whether a key sends: Enter alone. Shift and Enter begin a new line, and Enter chooses a word while one is being composed. */
const isSendKey = (event: React.KeyboardEvent): boolean =>
  event.key === 'Enter' &&
  !event.shiftKey &&
  !event.altKey &&
  // Safari ends a composition before the key that ended it; 229 says that the key belonged to it.
  !event.nativeEvent.isComposing &&
  event.nativeEvent.keyCode !== 229

interface EditBoxProps {
  readonly seq: number
  readonly text: string
  readonly actions: RowActions
}

export function EditBox({ seq, text, actions }: EditBoxProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    area.current?.focus()
    area.current?.setSelectionRange(area.current.value.length, area.current.value.length)
  }, [])
  const isEmpty = text.trim() === ''
  const send = () => actions.sendEdit(seq, text)
  const cancel = () => actions.edit(seq, undefined)
  return (
    <div className={`grid single gap-2 paper ${styles.edit}`}>
      <MessageArea
        ref={area}
        value={text}
        aria-label="Edit the message"
        onChange={next => actions.edit(seq, next)}
        onSend={() => isEmpty || send()}
        onKeyDown={event => {
          if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
          event.preventDefault()
          event.stopPropagation()
          cancel()
        }}
      />
      <div className={`row wraps at-end gap-2 muted text-12-16 ${styles.foot}`}>
        <span>Answered on a new branch; this one stays as it is.</span>
        <Button onClick={cancel}>Cancel</Button>
        <Button kind="primary" why={isEmpty ? 'Write a message first.' : undefined} onClick={send}>
          Send
        </Button>
      </div>
    </div>
  )
}
