/** The tool with which the model reads on in a result that was clipped. */
export const readResultName = 'read_result'

/** The tool with which the model reads any message of the conversation. */
export const readMessageName = 'read_message'

/** The tool with which the model writes a note to itself. */
export const noteToolName = 'write_note_to_self'
