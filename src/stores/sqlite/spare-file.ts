import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, writeFileSync } from 'node:fs'

export interface SpareFile {
  release(): void
  /** Takes the room again, if there is as much. */
  keep(): void
}

/**
 * Keeps room on the disk, in a file beside the database: SQLite writes to its log also to delete, so that a full disk would keep
 * everything for ever.
 */
export function createSpareFile(path: string, bytes: number): SpareFile {
  const file = `${path}-spare`
  const release = () => rmSync(file, { force: true })
  const spare = {
    release,
    keep() {
      if (bytes === 0 || existsSync(file)) return
      try {
        // Random: a file system that packs zeros would keep no room.
        writeFileSync(file, randomBytes(bytes))
      } catch {
        // The disk is full already, or may not be written to.
        release()
      }
    },
  }
  spare.keep()
  return spare
}
