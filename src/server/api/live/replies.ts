/** The replies that are being given by this process. */
export interface Replies {
  /** Adds a reply. Its signal is aborted by `cancel`, or when the client has left. */
  add(tenant: string, id: string, left: AbortSignal): { readonly signal: AbortSignal; done(): void }
  /** False if there is no such reply. */
  cancel(tenant: string, id: string): boolean
  readonly size: number
}

export function createReplies(): Replies {
  const running = new Map<string, AbortController>()
  const nameOf = (tenant: string, id: string) => JSON.stringify([tenant, id])
  return {
    get size() {
      return running.size
    },
    add(tenant, id, left) {
      const name = nameOf(tenant, id)
      const controller = new AbortController()
      const leave = () => controller.abort(left.reason)
      running.set(name, controller)
      left.addEventListener('abort', leave, { once: true })
      if (left.aborted) leave()
      return {
        signal: controller.signal,
        done() {
          left.removeEventListener('abort', leave)
          running.delete(name)
        },
      }
    },
    cancel(tenant, id) {
      const found = running.get(nameOf(tenant, id))
      found?.abort(new Error('cancelled by the user'))
      return found !== undefined
    },
  }
}
