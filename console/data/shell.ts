/** Commands that people copy into a shell. Their words can come from others, and must stay words. */

/** Characters that a terminal acts on, or that change the direction of the text around them. Lines can end. */
const unseen = /(?:(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}])+/gu;

/** The text as one word of a POSIX shell. Characters that no one can see become spaces. */
export function shellWord(text: string): string {
  const shown = text.replace(unseen, " ");
  return /^[\w@%+=:,./-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`;
}

/**
 * A command with a value and options. Options without a value are left out. Undefined if the program would read a value
 * as an option.
 */
export function commandOf(
  command: string,
  value: string,
  options: Readonly<Record<string, string>>,
): string | undefined {
  const filled = Object.entries(options).filter(([, text]) => text !== "");
  if ([value, ...filled.map(([, text]) => text)].some((text) => text.startsWith("-")))
    return undefined;
  const words = filled.map(([name, text]) => `--${name} ${shellWord(text)}`);
  return [command, shellWord(value), ...words].join(" ");
}
