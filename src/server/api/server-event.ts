/** An event of a stream. `id` is what a client sends as `Last-Event-ID` when it comes back. */
export interface ServerEvent<Data = unknown> {
  readonly event: string
  readonly data: Data
  readonly id?: string | undefined
}

export const lastEventOf = ({ headers }: Request) => headers.get('last-event-id') ?? undefined
