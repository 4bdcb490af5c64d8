import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import styles from './button.module.css'
import { notify } from './notify.ts'

export interface ButtonProps extends React.ComponentProps<'button'> {
  /** `primary`: the one thing to do; `line`: bordered; `plain`: only its text; `icon`: a square with a glyph. */
  readonly kind?: 'primary' | 'line' | 'plain' | 'icon' | 'danger'
  /** Why it cannot be pressed now, if it cannot. */
  readonly why?: string | undefined
}

export function Button({ kind = 'line', className, why, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={[styles.button, className].filter(Boolean).join(' ')}
      data-kind={kind}
      {...rest}
      {...unless(why, onClick)}
    />
  )
}

/** The action of a button, unless `why` says that it cannot act now. Not `disabled`: such a button could not say why. */
export const unless = (
  why: string | undefined,
  onClick?: React.MouseEventHandler<HTMLButtonElement>,
): React.ComponentProps<'button'> =>
  why === undefined
    ? { onClick }
    : {
        'aria-disabled': true,
        title: why,
        onClick(event) {
          event.preventDefault()
          notify(why)
        },
      }

export interface CopyButtonProps {
  readonly text: string
  readonly label?: string
  readonly isBare?: boolean
}

export function CopyButton({ text, label = 'Copy', isBare = false }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = () => void navigator.clipboard.writeText(text).then(() => setCopied(true))
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
