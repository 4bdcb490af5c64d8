import { ModelError } from './model.ts'

/** Loads a client library when it is first needed, so that users of other providers need not install it. */
export async function loadClient<Client>(name: string, load: () => Promise<Client>): Promise<Client> {
  try {
    return await load()
  } catch (cause) {
    const message = `The package "${name}" cannot be loaded: install it with "npm install ${name}".`
    throw new ModelError('client_missing', message, { cause })
  }
}
