/** The help of the programs that npm scripts run. */

/** Where `--help` stands on the command line: prints how the program is used, and exits with 0. */
export function printHelpIfAsked(usage: string): void {
  const args = process.argv.slice(2);
  if (!args.includes("--help") && !args.includes("-h")) return;
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}
