/** Whether a database is named by the address of a PostgreSQL server, and not by the path of an SQLite file. */
export const isPostgres = (db: string): boolean => /^postgres(?:ql)?:/.test(db)
