import type { KeyBinding } from '../parts/keys.ts'
import { notify } from '../parts/notify.ts'

/** The key that copies the address: everything that is seen has one. */
export const copyAddress: KeyBinding = {
  keys: 'y',
  does: 'copy the address of what you see',
  run: () => void navigator.clipboard.writeText(location.href).then(() => notify('The address is copied.')),
}
