// The part of undici that the server uses, in place of all of it: the rest (fetch, mocks, caches, WebSocket) would be three
// quarters of the server's code, and takes 0.1 s to load. As `undici/index.js` does it.
const Dispatcher = require('undici/lib/dispatcher/dispatcher.js')
const Pool = require('undici/lib/dispatcher/pool.js')
const request = require('undici/lib/api/api-request.js')

Object.assign(Dispatcher.prototype, { request })

module.exports.Pool = Pool
