/** The pattern of a name for the API. A text without `*` can be anywhere in the name. */
export const patternOf = (text: string): string | undefined =>
  text === "" ? undefined : text.includes("*") ? text : `*${text}*`;
