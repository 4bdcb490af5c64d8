export interface BackupSqliteOptions {
  readonly path: string
}
export async function backupSqlite(_: BackupSqliteOptions): Promise<{ bytes: number }> {
  return { bytes: 0 }
}
