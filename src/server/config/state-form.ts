/** How a state is written in the settings: `name=tool`, or `name=tool#/path/0` for a part of the result. */
export const stateForm = /^[^=#,\s]{1,100}=[^=#,\s]{1,200}(?:#(?:\/[^/,\s]{0,200}){1,32})?$/
