export type Row = Readonly<Record<string, unknown>>

/** One with a name is parsed once for a connection. */
export interface Statement {
  readonly text: string
  readonly values?: unknown[]
  readonly name?: string
}

/** What is used of a client of `pg`. */
export interface PgClient {
  query(statement: Statement): Promise<{ readonly rows: Row[] }>
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
  release(destroy?: boolean): void
}

/** What is used of a pool of `pg`: `new Pool()` is one. */
export interface PgPool {
  connect(): Promise<PgClient>
  end(): Promise<void>
}
