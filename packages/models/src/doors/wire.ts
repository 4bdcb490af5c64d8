// Connections to model servers: how one is opened and asked, and which windows are known.
export { providerModels, providerWindow } from '../windows/provider-windows.ts'
export { windowSources } from '../windows/window-fact.ts'
export { askJson, type Relay } from '../wire/ask.ts'
export type { ServerConnection } from '../wire/connection.ts'
export { isLocalAddress } from '../wire/is-local-address.ts'
export { type ModelServer, openServer, type ServerSetup } from '../wire/open-server.ts'
export {
  type Ask,
  type ListedModel,
  type Refusal,
  type ReplyWire,
  type ServerQuestion,
  shownFact,
} from '../wire/wire.ts'
