import { createRequire } from 'node:module'
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import {
  END,
  MessagesAnnotation,
  MessagesDeltaValue,
  START,
  StateGraph,
  StateSchema,
} from '@langchain/langgraph'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import { loadDriver } from '../.build/stores/sqlite/driver.js'
import { createFolder } from './places.mjs'

const config = { configurable: { thread_id: 'bench' }, durability: 'sync' }

/** Every checkpoint has all messages; or, experimental in LangGraph, only those that are new. */
const states = {
  'langgraph SqliteSaver': MessagesAnnotation,
  'langgraph SqliteSaver, DeltaChannel': new StateSchema({ messages: MessagesDeltaValue }),
}

export const langgraph = turns =>
  Object.entries(states).map(([name, state]) => graphOf(name, state, turns))

/** A graph of one node that answers, with its checkpoints in a file. */
const graphOf = (name, state, turns) => ({
  name,
  driver: hasOwnDriver() ? 'better-sqlite3' : 'the driver of throughline, synchronous NORMAL',
  turns,
  createPlace: createFolder,
  async open({ path }) {
    const database = hasOwnDriver() ? new (betterSqlite())(path) : openAlike(path)
    let answer
    const graph = new StateGraph(state)
      .addNode('answer', () => ({ messages: [new AIMessage(answer)] }))
      .addEdge(START, 'answer')
      .addEdge('answer', END)
      .compile({ checkpointer: new SqliteSaver(database) })
    return {
      async take({ user, reply }) {
        answer = reply
        await graph.invoke({ messages: [new HumanMessage(user)] }, config)
      },
      count: async () => (await graph.getState(config)).values.messages.length,
      close: async () => database.close(),
    }
  },
})

function betterSqlite() {
  return createRequire(import.meta.url)('better-sqlite3')
}

/** Benchmarks are installed without install scripts, so its binary is only there after `npm rebuild better-sqlite3`. */
function hasOwnDriver() {
  try {
    ;new (betterSqlite())(':memory:').close()
    return true
  } catch {
    return false
  }
}

/**
 * What the saver uses of better-sqlite3, on the driver that Throughline uses. Synchronous is what better-sqlite3 is
 * compiled with: NORMAL with a write-ahead log, which is faster and less durable than ours.
 */
function openAlike(path) {
  const Database = loadDriver()
  const database = new Database(path)
  return {
    pragma(text) {
      const rows = database.prepare(`PRAGMA ${text}`).all()
      database.exec('PRAGMA synchronous = NORMAL')
      return rows
    },
    exec: sql => database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql)
      const values = list => list.map(value => value ?? null)
      return {
        run: (...list) => statement.run(...values(list)),
        get: (...list) => statement.get(...values(list)),
        all: (...list) => statement.all(...values(list)),
      }
    },
    transaction: work => rows => {
      database.exec('BEGIN')
      try {
        work(rows)
        database.exec('COMMIT')
      } catch (error) {
        database.exec('ROLLBACK')
        throw error
      }
    },
    close: () => database.close(),
  }
}
