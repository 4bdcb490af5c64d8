export type Row = Readonly<Record<string, unknown>>

/** A statement; with a name it is parsed once for a connection. */
export interface Statement {
  readonly text: string
  readonly values?: unknown[]
  readonly name?: string
}

/** The part of a `pg` client that is used. */
export interface PgClient {
  query(statement: Statement): Promise<{ readonly rows: Row[] }>
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
  release(destroy?: boolean): void
}

/** The part of a `pg` pool that is used: `new Pool()` is one. */
export interface PgPool {
  connect(): Promise<PgClient>
  end(): Promise<void>
}
