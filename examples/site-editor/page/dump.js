/** What the model would be sent, for developers. A page of its own: the chat never loads it. */
const byId = id => document.getElementById(id)

async function load() {
  const response = await fetch('/api/dump').catch(() => undefined)
  if (!response?.ok) {
    byId('figures').textContent = 'The editor does not answer.'
    return
  }
  const { text, tokens, window, tools } = await response.json()
  byId('text').textContent = text
  byId('tools').textContent = tools.map(tool => JSON.stringify(tool, undefined, 2)).join('\n')
  byId('figures').textContent = `${tokens} of ${window} tokens`
}

byId('again').addEventListener('click', load)
load()
