// How heavy is the house? `npm run lines` counts the lines of TypeScript and CSS in src and inspector/src, without tests and fixtures.
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

const isTest = name => /\.(test|fixture)\./.test(name)
const kinds = { '.ts': 'TypeScript', '.tsx': 'TypeScript', '.css': 'CSS' }
const sums = { TypeScript: 0, CSS: 0 }
const rooms = {}
for (const root of ['src', 'inspector/src'])
  for (const name of readdirSync(root, { recursive: true })) {
    const kind = kinds[extname(name)]
    if (!kind || isTest(name)) continue
    const lines = readFileSync(join(root, name), 'utf8').split('\n').length - 1
    const room = join(root, name.split('/')[0])
    sums[kind] += lines
    rooms[room] = (rooms[room] ?? 0) + lines
  }
for (const [room, lines] of Object.entries(rooms).sort((a, b) => b[1] - a[1]))
  console.log(String(lines).padStart(7), room)
console.log(`\n${sums.TypeScript} lines of TypeScript, ${sums.CSS} of CSS`)
