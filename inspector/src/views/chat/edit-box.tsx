import { useEffect, useRef } from 'react'
import { Button } from '../../parts/button.tsx'
import styles from './edit-box.module.css'
import { MessageArea } from './message-area.tsx'

export interface EditBoxProps {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly onSend: () => void
  readonly onCancel: () => void
}

export function EditBox({ text, onChange, onSend, onCancel }: EditBoxProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    area.current?.focus()
    area.current?.setSelectionRange(area.current.value.length, area.current.value.length)
  }, [])
  const isEmpty = text.trim() === ''
  return (
    <div className={`grid single gap-2 paper ${styles.edit}`}>
      <MessageArea
        ref={area}
        value={text}
        aria-label="Edit the message"
        onChange={onChange}
        onSend={() => isEmpty || onSend()}
        onKeyDown={event => {
          if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
          event.preventDefault()
          event.stopPropagation()
          onCancel()
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
