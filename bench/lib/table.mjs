/** Lines of cells, the first line being the head; the first column to the left, the others to the right. */
export function formatTable(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map(line => line[column].length)))
  const [head, ...rest] = lines.map(line =>
    line
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
      )
      .join('  '),
  )
  return [head, '-'.repeat(head.length), ...rest].join('\n')
}

/** 0.0123 → `12.3 µs`, 4.5 → `4.50 ms`, 12345 → `12.3 s`. */
export function formatMs(ms) {
  if (ms < 1) return `${digits(ms * 1000)} µs`
  return ms < 1000 ? `${digits(ms)} ms` : `${digits(ms / 1000)} s`
}

function digits(value) {
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)
}
