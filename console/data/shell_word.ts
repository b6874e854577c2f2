/** Texts of others in commands that people copy. */

/** The text as one word of a POSIX shell, which runs nothing in it. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
