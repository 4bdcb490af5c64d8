import { useEffect, useRef } from 'react'
import { Button } from '../../parts/button.tsx'
import styles from './edit-box.module.css'
import { isSendKey } from './is-send-key.ts'
import { useGrowing } from './use-growing.ts'

export interface EditBoxProps {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly onSend: () => void
  readonly onCancel: () => void
}

/** A message while it is edited. */
export function EditBox({ text, onChange, onSend, onCancel }: EditBoxProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  useGrowing(area, text)
  useEffect(() => {
    area.current?.focus()
    area.current?.setSelectionRange(area.current.value.length, area.current.value.length)
  }, [])
  const isEmpty = text.trim() === ''
  return (
    <div className={`grid single gap-2 paper ${styles.edit}`}>
      <textarea
        ref={area}
        value={text}
        rows={1}
        dir="auto"
        aria-label="Edit the message"
        onChange={event => onChange(event.target.value)}
        onKeyDown={event => {
          if (isSendKey(event)) {
            event.preventDefault()
            if (!isEmpty) onSend()
          } else if (event.key === 'Escape' && !event.nativeEvent.isComposing) {
            event.preventDefault()
            event.stopPropagation()
            onCancel()
          }
        }}
      />
      <div className={`row wraps at-end gap-2 muted text-12-16 ${styles.foot}`}>
        <span>Answered on a new branch; this one stays as it is.</span>
        <Button onClick={onCancel}>Cancel</Button>
        <Button kind="primary" why={isEmpty ? 'Write a message first.' : undefined} onClick={onSend}>
          Send
        </Button>
      </div>
    </div>
  )
}
