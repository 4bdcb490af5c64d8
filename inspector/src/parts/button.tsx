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
