import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from './button.tsx'

export interface CopyButtonProps {
  readonly text: string | (() => string)
  readonly label?: string
  readonly isBare?: boolean
}

/** Copies a text, and says so for a moment. */
export function CopyButton({ text, label = 'Copy', isBare = false }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = () =>
    void navigator.clipboard.writeText(typeof text === 'string' ? text : text()).then(() => setCopied(true))
  const glyph = isCopied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />
  const words = isCopied ? 'Copied' : label
  if (isBare)
    return (
      <button type="button" aria-label={words} title={label} onClick={copy}>
        {glyph}
      </button>
    )
  return (
    <Button kind="plain" onClick={copy}>
      {glyph}
      {words}
    </Button>
  )
}
