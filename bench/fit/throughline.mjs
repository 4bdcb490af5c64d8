import { defaultPolicy, fit, sliding, spongebob, tiered } from '../../dist/index.js'
import { o200k } from '../../dist/tokens/o200k.js'
import { windowTokens } from './conversation.mjs'

/** One counter for all turns, as in an application. */
const count = o200k()

export const throughline = [
  growing('throughline spongebob', spongebob()),
  copied('throughline spongebob copied', spongebob()),
  stamped('throughline cold stamped', spongebob()),
  cold('throughline default cold', defaultPolicy),
  cold('throughline spongebob cold', spongebob()),
  growing('throughline default', defaultPolicy),
  growing('throughline sliding', sliding()),
  growing('throughline tiered', tiered()),
]

/** The application pushes to its list. */
function growing(name, policy) {
  const options = { window: windowTokens, count, policy }
  return {
    name,
    start(history) {
      fit(history, options)
      return turn => {
        history.push(...turn)
        return fit(history, options).messages.length
      }
    },
  }
}

/** The application makes a new list of the same objects, as a reducer or React state does. */
function copied(name, policy) {
  const options = { window: windowTokens, count, policy }
  return {
    name,
    start(history) {
      let list = history
      fit(list, options)
      return turn => {
        list = [...list, ...turn]
        return fit(list, options).messages.length
      }
    },
  }
}

/** A list that was never seen, of messages that were: as when a conversation is opened again in a running process. */
function stamped(name, policy) {
  const options = { window: windowTokens, count, policy }
  return {
    name,
    turns: 1,
    start(history) {
      // A list is remembered by its first user message. With another one before them, the messages are counted, but the
      // list that is measured stays unknown.
      fit([{ role: 'user', content: 'Good morning.' }, ...history], options)
      return () => fit(history, options).messages.length
    },
  }
}

/** A list whose objects were never seen, as a backend without state reads it out of each request. Tokens are estimated. */
function cold(name, policy) {
  return {
    name,
    turns: 1,
    cpu: true,
    start(history) {
      const list = JSON.parse(JSON.stringify(history))
      return () => fit(list, { window: windowTokens, policy }).messages.length
    },
  }
}
