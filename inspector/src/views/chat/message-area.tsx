import { useLayoutEffect } from 'react'

export interface MessageAreaProps extends Omit<React.ComponentProps<'textarea'>, 'onChange'> {
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
