import { ThroughlineError } from '../log/error.ts'

/** Loads a table of `gpt-tokenizer`: 30 MB on disk, so only who counts exactly installs it. Its entries wait for it, so `require` cannot load them. */
export async function loadEncoding<Encoding>(load: () => Promise<Encoding>): Promise<Encoding> {
  try {
    return await load()
  } catch (cause) {
    const message =
      'The package "gpt-tokenizer" cannot be loaded: install it with "npm install gpt-tokenizer".'
    throw new ThroughlineError('package_missing', message, { cause })
  }
}
