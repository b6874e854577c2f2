/** The number of characters of a value that an error shows. */
const maxLength = 64;

/** Quotes a value from a request for an error, and cuts a long one. Do not call this for a secret. */
export const quoted = (value: string): string =>
  JSON.stringify(value.length > maxLength ? `${value.slice(0, maxLength)}…` : value);
