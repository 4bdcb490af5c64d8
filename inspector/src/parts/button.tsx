import styles from './button.module.css'

export interface ButtonProps extends React.ComponentProps<'button'> {
  /** `primary`: the one thing to do; `line`: bordered; `plain`: only its text; `icon`: a square with a glyph. */
  readonly kind?: 'primary' | 'line' | 'plain' | 'icon' | 'danger'
}

export function Button({ kind = 'line', className, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={[styles.button, className].filter(Boolean).join(' ')}
      data-kind={kind}
      {...rest}
    />
  )
}
