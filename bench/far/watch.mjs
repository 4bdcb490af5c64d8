import pg from 'pg'

/** A pool that remembers the statements that went through it while it watches. */
export function watchedPool(url) {
  const pool = new pg.Pool({ connectionString: url, max: 4 })
  pool.on('error', () => {})
  let statements
  return {
    pool: {
      async connect() {
        const client = await pool.connect()
        return {
          query(statement) {
            statements?.push({ text: statement.text, values: statement.values ?? [] })
            return client.query(statement)
          },
          on: (...input) => client.on(...input),
          off: (...input) => client.off(...input),
          release: (...input) => client.release(...input),
        }
      },
      end: () => pool.end(),
    },
    /** What a piece of work asked of the database. */
    async watch(work) {
      statements = []
      try {
        await work()
        return statements
      } finally {
        statements = undefined
      }
    },
    query: async (text, values) => (await pool.query(text, values)).rows,
    end: () => pool.end(),
  }
}

const isRead = ({ text }) => /^\s*(select|with(?![\s\S]*\b(insert|update|delete)\b))/i.test(text)

/** What the plans of reads looked at: blocks of 8 kB, and tables that were read from end to end. */
export async function explain({ query }, statements) {
  const blocks = []
  const scanned = new Set()
  const plans = []
  for (const { text, values } of statements.filter(isRead).slice(0, 40)) {
    const [row] = await query(`explain (analyze, buffers, format json) ${text}`, values)
    const plan = row['QUERY PLAN']
    plans.push(plan)
    let most = 0
    for (const node of nodesOf(plan)) {
      most = Math.max(most, (node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? 0))
      if (node['Node Type'] === 'Seq Scan') scanned.add(node['Relation Name'].replace(/_\d+$/, ''))
    }
    blocks.push(most)
  }
  return { blocks: blocks.reduce((sum, some) => sum + some, 0), scanned: [...scanned], plans }
}

function* nodesOf(value) {
  if (value === null || typeof value !== 'object') return
  if (value['Node Type']) yield value
  for (const one of Object.values(value)) yield* nodesOf(one)
}
