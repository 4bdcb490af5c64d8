import { notify } from './notify.ts'

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
