/** A disk that keeps what was synced and nothing else, made from the calls of a process as strace lists them. */
export interface UnsyncedDisk {
  /** Takes the next line of the trace, and says what it was. */
  take(line: string): 'synced' | { readonly printed: string } | undefined
  /**
   * The files of a folder as a loss of power at this moment leaves them: without what was not synced, or with every other
   * one of those writes, as a disk may write in any order.
   */
  files(folder: string, leaves: 'synced' | 'some'): ReadonlyMap<string, Buffer>
}

interface File {
  durable: Buffer
  /** What was written since, in its order. */
  waiting: Change[]
}

type Change = { readonly at: number; readonly bytes: Buffer } | { readonly size: number }

interface Call {
  readonly name: string
  /** The path or the file that it is about. */
  readonly path: string
  readonly text: string
  /** How many changes of the file, or names, a sync will have brought to the disk. */
  readonly covers: number | ReadonlyMap<string, File>
}

export function createUnsyncedDisk(): UnsyncedDisk {
  let names = new Map<string, File>()
  /** The names that a sync of their folder has kept. */
  let kept = new Map<string, File>()
  /** Calls that have begun, by thread. */
  const begun = new Map<string, Call>()

  const fileAt = (path: string) => names.get(path) ?? makeFile(path)

  function makeFile(path: string): File {
    const file = { durable: Buffer.alloc(0), waiting: [] }
    names.set(path, file)
    return file
  }

  function begin(name: string, text: string): Call {
    const path = /^\w*(?:<([^>]*)>)?(?:, )?(?:"([^"]*)")?/.exec(text)
    const at = decode(
      (name.startsWith('open') || name.startsWith('unlink') ? path?.[2] : path?.[1]) ?? '',
    ).toString()
    const covers = isFolder(at) ? new Map(names) : (names.get(at)?.waiting.length ?? 0)
    return { name, path: at, text, covers }
  }

  const isFolder = (path: string) => [...names.keys()].some(name => name.startsWith(`${path}/`))

  function end({ name, path, text, covers }: Call): ReturnType<UnsyncedDisk['take']> {
    const numbers = text.split(', ').slice(1).map(Number)
    if (name === 'openat') {
      if (text.includes('O_CREAT')) fileAt(path)
    } else if (name.startsWith('unlink')) {
      names = new Map([...names].filter(([known]) => known !== path))
    } else if (name === 'ftruncate') {
      names.get(path)?.waiting.push({ size: numbers[0]! })
    } else if (name.endsWith('write64') || name === 'write') {
      const bytes = decode(/"([^"]*)"/.exec(text)?.[1] ?? '')
      if (text.startsWith('1<')) return { printed: bytes.toString() }
      names.get(path)?.waiting.push({ at: numbers.at(-1)!, bytes })
    } else if (typeof covers !== 'number') {
      kept = new Map(covers)
      return 'synced'
    } else if (name.endsWith('sync')) {
      const file = names.get(path)
      if (!file) return undefined
      file.durable = file.waiting.splice(0, covers).reduce(apply, file.durable)
      return 'synced'
    }
    return undefined
  }

  return {
    take(line) {
      const [, thread = '', rest = ''] = /^(\d+)\s+(.*)$/s.exec(line) ?? []
      const resumed = /^<\.\.\. (\w+) resumed>/.exec(rest)
      const call = resumed ? begun.get(thread) : undefined
      begun.delete(thread)
      if (resumed) return call && !rest.includes('= -1') ? end(call) : undefined
      const [, name = '', text = ''] = /^(\w+)\((.*)$/s.exec(rest) ?? []
      if (name === '') return undefined
      if (!rest.endsWith('<unfinished ...>')) {
        const [, given = '', result = ''] = /^(.*)\)\s+= (\S+)/s.exec(text) ?? []
        return result.startsWith('-1') || result === '' ? undefined : end(begin(name, given))
      }
      begun.set(
        thread,
        begin(name, text.slice(0, text.lastIndexOf('<unfinished')).replace(/[ ,)]*$/, '')),
      )
      return undefined
    },
    files: (folder, leaves) =>
      new Map(
        [...kept]
          .filter(([path]) => path.startsWith(`${folder}/`))
          .map(([path, { durable, waiting }]) => {
            const left = leaves === 'synced' ? [] : waiting.filter((_, n) => n % 2 === 1)
            return [path.slice(folder.length + 1), left.reduce(apply, durable)]
          }),
      ),
  }
}

function apply(before: Buffer, change: Change): Buffer {
  if ('size' in change) {
    const cut = Buffer.alloc(change.size)
    before.copy(cut, 0, 0, change.size)
    return cut
  }
  const after = Buffer.alloc(Math.max(before.length, change.at + change.bytes.length))
  before.copy(after)
  change.bytes.copy(after, change.at)
  return after
}

const decode = (text: string) => Buffer.from(text.replaceAll('\\x', ''), 'hex')
