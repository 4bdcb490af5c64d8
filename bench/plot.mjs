// Draws memory against cost: npm run bench -- plot QUALITY.json PREFIX.json writes docs/memory-against-cost.svg
import { readFileSync, writeFileSync } from 'node:fs'

const window = 4096
const [qualityFile, prefixFile] = process.argv.slice(2)
if (!qualityFile || !prefixFile) {
  console.error('bench: plot needs the two files that quality --json and prefix --json wrote')
  process.exit(2)
}
const quality = JSON.parse(readFileSync(qualityFile, 'utf8'))
const prefix = JSON.parse(readFileSync(prefixFile, 'utf8'))
const sets = ['locomo', 'realmem', 'beam100K'].filter(set => quality[set] && prefix[set])
const colours = {
  'last-N': '#b0412e',
  'BM25 and the last exchange': '#777777',
  spongebob: '#c98a1b',
  stable: '#6b7280',
  thrifty: '#2f7d5b',
  default: '#1f5fa8',
  thorough: '#6a3fa0',
}

const panel = { width: 300, height: 240, left: 46, top: 46, gap: 70 }
const x = read => (Math.min(read, 4096) / 4096) * panel.width
const y = share => panel.height - share * panel.height

const drawn = sets.map((set, index) => {
  const at = `translate(${panel.left + index * (panel.width + panel.gap)},${panel.top})`
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    share =>
      `<path d="M0 ${y(share)}H${panel.width}" stroke="#ddd"/><text x="-8" y="${y(share) + 4}" text-anchor="end">${share * 100}</text>`,
  )
  const ticks = [0, 1024, 2048, 3072, 4096].map(
    read => `<text x="${x(read)}" y="${panel.height + 18}" text-anchor="middle">${read}</text>`,
  )
  const points = Object.keys(colours)
    .filter(policy => quality[set][policy] && prefix[set][policy])
    .map(policy => ({
      policy,
      read: prefix[set][policy].readPerTurn,
      share: quality[set][policy][window].all,
    }))
  const curve = points.filter(({ policy }) =>
    ['stable', 'thrifty', 'default', 'thorough'].includes(policy),
  )
  const line = `<path d="M${curve.map(({ read, share }) => `${x(read)} ${y(share)}`).join('L')}" fill="none" stroke="#9db7d6" stroke-width="2"/>`
  const dots = points.map(
    ({ policy, read, share }) =>
      `<circle cx="${x(read)}" cy="${y(share)}" r="5" fill="${colours[policy]}"/><text ${label(policy, read, share)} fill="${colours[policy]}">${policy} ${(share * 100).toFixed(0)}</text>`,
  )
  const { questions } = quality[set].default[window]
  return `<g transform="${at}"><text x="0" y="-22" font-weight="bold">${set} (${questions} questions)</text>${grid.join('')}${ticks.join('')}${line}${dots.join('')}</g>`
})

/** Names stand to the left of points that lie far to the right, and below where two points are close. */
function label(policy, read, share) {
  const right = read < 2300
  const shift = { thrifty: 17, 'last-N': -23 }[policy] ?? -8
  return `x="${x(read) + (right ? 9 : -9)}" y="${y(share) + shift}" text-anchor="${right ? 'start' : 'end'}"`
}

const width = panel.left + sets.length * (panel.width + panel.gap)
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${panel.top + panel.height + 64}" font-family="system-ui, sans-serif" font-size="12">
<title>Memory against cost</title>
<rect width="100%" height="100%" fill="#fff"/>
${drawn.join('\n')}
<text x="${panel.left}" y="${panel.top + panel.height + 46}" fill="#444">Across: prompt tokens read again per turn, window ${window} (less is cheaper). Up: questions with all evidence in view, % (more is better). last-N: what LangChain, Mastra and Ollama do.</text>
</svg>
`
writeFileSync(new URL('../docs/memory-against-cost.svg', import.meta.url), svg)
console.log('docs/memory-against-cost.svg')
