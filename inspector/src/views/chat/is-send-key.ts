/** Whether a key sends: Enter alone. Shift and Enter begin a new line, and Enter chooses a word while one is being composed. */
export const isSendKey = (event: React.KeyboardEvent): boolean =>
  event.key === 'Enter' &&
  !event.shiftKey &&
  !event.altKey &&
  // Safari ends a composition before the key that ended it; 229 says that the key belonged to it.
  !event.nativeEvent.isComposing &&
  event.nativeEvent.keyCode !== 229
