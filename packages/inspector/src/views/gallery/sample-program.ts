/** What the lamp of a card shows before anything was asked for. */
export const sampleProgram = {
  name: 'blue waves',
  steps: [
    {
      id: '1',
      command: {
        type: 'pattern',
        name: 'wave',
        params: { color: '#1E60FF', color2: '#02061E', speed: 0.5 },
      },
      duration: null,
    },
  ],
}
