import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const mounts: string[] = []

/** Mounts a file system of its own and returns its folder. */
export function mount(...options: string[]): string {
  const at = mkdtempSync(join(tmpdir(), 'throughline-mount-'))
  const { error, status, stderr } = spawnSync('mount', [...options, at], { encoding: 'utf8' })
  if (!error && status === 0) {
    mounts.push(at)
    return at
  }
  rmSync(at, { recursive: true })
  throw new Error(error?.message ?? stderr.trim())
}

/** A disk that is soon full. */
export const smallDisk = (size: string): string =>
  mount('-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs')

/** Unmounts lazily: a driver may keep its files open until its statements are collected. */
export function unmountAll(): void {
  for (const at of mounts.splice(0)) {
    spawnSync('umount', ['-l', at])
    rmSync(at, { recursive: true, force: true })
  }
}

/** Why there can be none here: mostly because the tests do not run as root. */
export function whyNoMounts(): string | undefined {
  try {
    smallDisk('64k')
    return undefined
  } catch (error) {
    return (error as Error).message
  } finally {
    unmountAll()
  }
}

/** Fills a disk to its last byte; call the result to make room again. */
export function fill(at: string): () => void {
  const name = join(at, 'filler')
  for (let size = 2 ** 22; size >= 1; ) {
    try {
      writeFileSync(name, Buffer.alloc(size), { flag: 'a' })
    } catch {
      size /= 2
    }
  }
  return () => rmSync(name)
}
