import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, writeFileSync } from 'node:fs'

export type SpareFile = ReturnType<typeof createSpareFile>

/** Keeps room in a file beside the database: SQLite writes also to delete, so a full disk would stay full. */
export function createSpareFile(path: string, bytes: number) {
  const file = `${path}-spare`
  const release = () => rmSync(file, { force: true })
  const spare = {
    release,
    /** Takes the room again, if there is as much. */
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
