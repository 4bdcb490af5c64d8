import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A call of the system, the n-th of its name that touches one of the files. */
export interface CrashPoint {
  readonly call: string
  readonly n: number
}

/** Every call that changes a file or waits for the disk. Which of them are used depends on the driver. */
const calls = [
  'pwrite64',
  'write',
  'ftruncate',
  'fdatasync',
  'fsync',
  'msync',
  'unlink',
  'unlinkat',
  'fallocate',
]

/** Why no call of the system can be tampered with on this machine; nothing when it can. */
export function whyNoStrace(): string | undefined {
  const parameters = ['-f', '-o', '/dev/null', '-e', 'inject=exit_group:signal=SIGKILL', 'true']
  const { error, signal, stderr } = spawnSync('strace', parameters, { encoding: 'utf8' })
  if (error) return 'strace is not installed'
  return signal === 'SIGKILL'
    ? undefined
    : `strace may not trace here (${stderr.trim().split('\n')[0]})`
}

/** Runs under strace and lists the calls that touch the files of a store, in a trace file. */
export const traced = (path: string, trace: string): readonly string[] => [
  ...strace(path),
  // Not every machine has all of them.
  ...['-o', trace, '-e', `trace=${calls.map(call => `?${call}`).join()}`],
]

/** Runs under strace and lists all that is written anywhere, byte by byte, with what is created, synced and removed. */
export const tracedWhole = (trace: string): readonly string[] => [
  ...['strace', '-f', '-qq', '-y', '-xx', '-s', '10000000', '-o', trace],
  ...['-e', `trace=openat,${calls.map(call => `?${call}`).join()}`],
]

/** Killed when it is about to make this call. strace counts each name by itself: a point is a name and a number. */
export const killedAt = (path: string, { call, n }: CrashPoint): readonly string[] =>
  tampered(path, call, `signal=SIGKILL:when=${n}`)

/** The n-th call fails, and with `isLasting` all that come after it. */
export const failingAt = (
  path: string,
  { call, n }: CrashPoint,
  error: 'EIO' | 'ENOSPC',
  isLasting = false,
): readonly string[] => tampered(path, call, `error=${error}:when=${n}${isLasting ? '+' : ''}`)

/** The points of a run that was traced. */
export function readPoints(trace: string): readonly CrashPoint[] {
  const counts = new Map<string, number>()
  const points: CrashPoint[] = []
  for (const line of readFileSync(trace, 'utf8').split('\n')) {
    const call = /^\d+\s+(\w+)\(/.exec(line)?.[1]
    if (call === undefined || !calls.includes(call)) continue
    const n = (counts.get(call) ?? 0) + 1
    counts.set(call, n)
    points.push({ call, n })
  }
  return points
}

const tampered = (path: string, call: string, how: string): readonly string[] => [
  ...strace(path),
  ...['-o', '/dev/null', '-e', `trace=${call}`, '-e', `inject=${call}:${how}`],
]

/** Only calls on the files of the store count. Without --seccomp-bpf: with it, strace 6.1 tampers with nothing. */
function strace(path: string): readonly string[] {
  const files = ['', '-wal', '-shm', '-journal', '-lock', '-lock-journal'].map(
    end => `${path}${end}`,
  )
  const paths = [...files, join(path, '..')].flatMap(file => ['-P', file])
  return ['strace', '-f', '-qq', ...paths]
}
