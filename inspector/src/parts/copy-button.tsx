import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from './button.tsx'

/** Copies a text, and says so. */
export function CopyButton({
  text,
  label = 'Copy',
}: {
  readonly text: string | (() => string)
  readonly label?: string
}) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === 'string' ? text : text())
    setCopied(true)
  }
  return (
    <Button kind="plain" onClick={() => void copy()}>
      {isCopied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      {isCopied ? 'Copied' : label}
    </Button>
  )
}
