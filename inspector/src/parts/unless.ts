import { notify } from './notify.ts'

/**
 * What a button does, unless it cannot now: then it looks so and says why, to a pointer, a finger and keys. A disabled one
 * could not be pressed, and would say nothing.
 */
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
