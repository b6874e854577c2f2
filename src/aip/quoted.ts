/** The number of characters of a value that an error shows. */
const maxLength = 64;

/** They change the order in which a terminal or a page shows the text around them. */
const directionControls = /\p{Bidi_Control}/gu;

/**
 * Quotes a value from a request for an error, and cuts a long one. Invisible characters that could change what the
 * reader sees are escaped as in JSON. Do not call this for a secret.
 */
export const quoted = (value: string): string =>
  JSON.stringify(value.length > maxLength ? `${value.slice(0, maxLength)}…` : value).replace(
    directionControls,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
