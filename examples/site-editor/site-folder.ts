/**
 * The folder of the site, and all that tools and the preview may do in it. No path leads out of it, whoever wrote the
 * path: the model, the user, or a page that the model has read.
 */
import { randomUUID } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { cp, lstat, mkdir, open, readdir, realpath, rename, rm } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SiteError, show, toNames } from './site-path.ts'

export const mostBytes = 256 * 1024
const mostFiles = 200

/** What may be written: text that a browser reads. Other files can be put into the folder by hand. */
const textEndings = ['.html', '.css', '.js', '.svg', '.txt', '.md', '.json', '.xml']

/** A file that is being written. Its name begins with a dot, so it is no file of the site. */
const unfinished = '.unfinished-'

export interface SiteFolder {
  /** The paths of all files, sorted. */
  list(): Promise<readonly string[]>
  read(path: string): Promise<Buffer>
  readText(path: string): Promise<string>
  /** Writes a file whole: a crash leaves the old text or the new one, never a part. True if it is a new file. */
  write(path: string, text: string): Promise<boolean>
  /** Removes a file. The first page stays. */
  remove(path: string): Promise<void>
}

/** Opens the folder of a site. A new one gets the pages of `starter`. */
export async function openSite(folder: string): Promise<SiteFolder> {
  if (!(await statOf(folder))) {
    // Copied beside it, then moved: a crash in between leaves no half of a site.
    await rm(`${folder}.new`, { recursive: true, force: true })
    await cp(fileURLToPath(new URL('starter', import.meta.url)), `${folder}.new`, {
      recursive: true,
    })
    await rename(`${folder}.new`, folder)
  }
  const root = await realpath(folder)
  await removeUnfinished(root)

  async function list(): Promise<readonly string[]> {
    return (await filesIn(root)).filter(path => isPath(path)).sort()
  }

  return {
    list,
    read: path => readInside(root, path),
    async readText(path) {
      const bytes = await readInside(root, path)
      try {
        return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
      } catch {
        throw new SiteError('not_text', `${show(path)} is no text`)
      }
    },
    async write(path, text) {
      const names = toNames(path)
      const ending = extname(names.at(-1)!).toLowerCase()
      if (!textEndings.includes(ending))
        throw new SiteError('bad_path', `${show(path)} must end in one of ${textEndings.join(' ')}`)
      const bytes = Buffer.from(text)
      if (bytes.length > mostBytes) throw tooLarge(path, bytes.length)
      const target = join(root, ...names)
      const before = await findInside(root, names)
      if (before && !before.isFile())
        throw new SiteError('not_a_file', `${show(path)} is no ordinary file`)
      if (!before && (await list()).length >= mostFiles)
        throw new SiteError('too_many_files', `the site has ${mostFiles} files, and takes no more`)
      await mkdir(dirname(target), { recursive: true })
      await replaceFile(target, bytes)
      return !before
    },
    async remove(path) {
      const names = toNames(path)
      if (names.join('/') === 'index.html')
        throw new SiteError('bad_path', `${show(path)} is the first page, and stays`)
      const found = await findInside(root, names)
      if (!found)
        throw new SiteError(
          'no_file',
          `there is no file ${show(path)}: list_files says which there are`,
        )
      if (!found.isFile()) throw new SiteError('not_a_file', `${show(path)} is no ordinary file`)
      await rm(join(root, ...names))
    },
  }
}

/** Reads a file, at most `mostBytes` of it. Links are not followed, and pipes and devices are not waited for. */
async function readInside(root: string, path: string): Promise<Buffer> {
  const names = toNames(path)
  const found = await findInside(root, names)
  if (!found)
    throw new SiteError(
      'no_file',
      `there is no file ${show(path)}: list_files says which there are`,
    )
  if (!found.isFile()) throw new SiteError('not_a_file', `${show(path)} is no ordinary file`)
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  const file = await open(join(root, ...names), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const { size } = await file.stat()
    if (size > mostBytes) throw tooLarge(path, size)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(mostBytes), 0, mostBytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** What stands at a path, if anything. Every folder on the way must be a folder, not a link to one. */
async function findInside(root: string, names: readonly string[]): Promise<Stats | undefined> {
  let at = root
  for (const one of names.slice(0, -1)) {
    at = join(at, one)
    const folder = await statOf(at)
    if (!folder) return undefined
    if (!folder.isDirectory()) throw new SiteError('not_a_file', `${show(one)} is no folder`)
  }
  return statOf(join(at, names.at(-1)!))
}

/** Writes to a file beside it, waits for the disk, then takes its place in one step. */
async function replaceFile(target: string, bytes: Buffer): Promise<void> {
  const beside = join(dirname(target), unfinished + randomUUID())
  try {
    const file = await open(beside, 'wx')
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(beside, target)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
}

/** All files under a folder, by their paths. Links are left out, and so is what is deeper or more than a site may have. */
async function filesIn(folder: string, before = '', depth = 4): Promise<readonly string[]> {
  const files: string[] = []
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (files.length > mostFiles) break
    const path = before + entry.name
    if (entry.isFile()) files.push(path)
    if (entry.isDirectory() && depth > 1)
      for (const inner of await filesIn(join(folder, entry.name), `${path}/`, depth - 1))
        files.push(inner)
  }
  return files
}

/** Removes what a process that was killed while it wrote has left. */
async function removeUnfinished(root: string): Promise<void> {
  for (const path of await filesIn(root)) {
    const isLeft = path.split('/').at(-1)!.startsWith(unfinished)
    if (isLeft) await rm(join(root, path), { force: true })
  }
}

function isPath(path: string): boolean {
  try {
    return toNames(path).length > 0
  } catch {
    return false
  }
}

const statOf = (path: string): Promise<Stats | undefined> =>
  lstat(path).catch(error => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })

const tooLarge = (path: string, bytes: number) =>
  new SiteError('too_large', `${show(path)} has ${bytes} bytes, and at most ${mostBytes} are taken`)
