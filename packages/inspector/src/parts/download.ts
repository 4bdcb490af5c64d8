export function download(file: Blob, name: string): void {
  const address = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // Not at once: the browser still reads it.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** A name as a file can have it on every system. */
export const toFileName = (name: string): string =>
  name
    .replace(/[\p{Cc}<>:"/\\|?*]/gu, '-')
    .slice(0, 120)
    .replace(/^\.+|[. ]+$/g, '') || 'conversation'
