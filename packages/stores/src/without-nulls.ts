type WithoutNulls<T> = { readonly [Name in keyof T]: Exclude<T[Name], null> }

/** What stands in a row, as stores give it: without the fields that are null or undefined. */
export const withoutNulls = <T extends object>(fields: T): WithoutNulls<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as WithoutNulls<T>
