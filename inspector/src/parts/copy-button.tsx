import { Check, Copy } from 'lucide-react'
import { Button } from './button.tsx'
import { useCopy } from './use-copy.ts'

/** Copies a text, and says so. */
export function CopyButton({
  text,
  label = 'Copy',
}: {
  readonly text: string | (() => string)
  readonly label?: string
}) {
  const [isCopied, copy] = useCopy()
  return (
    <Button kind="plain" onClick={() => copy(typeof text === 'string' ? text : text())}>
      {isCopied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      {isCopied ? 'Copied' : label}
    </Button>
  )
}
